// Handler for Scalar: GET /v1/pets. Scalar has already checked the key and the query.
const { limit = '20', status } = req.query
const matches = []
for (const pet of store.list('Pet')) {
  if (matches.length === Number(limit)) break
  if (status === undefined || pet.status === status) matches.push(pet)
}
return matches
