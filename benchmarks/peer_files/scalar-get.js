// Scalar's handler for GET /v1/pets; Scalar itself has checked the key and the query.
const { limit = '20', status } = req.query
const found = []
for (const pet of store.list('Pet')) {
  if (found.length === Number(limit)) break
  if (status === undefined || pet.status === status) found.push(pet)
}
return found
