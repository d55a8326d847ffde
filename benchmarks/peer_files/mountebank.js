// mountebank's injected response: the list and the create operation, state kept by the imposter.
(config) => {
  const { request, state } = config
  state.pets = state.pets || PETS
  const give = (statusCode, value) => ({
    statusCode,
    headers: { 'Content-Type': 'application/json', Connection: 'keep-alive' },
    body: JSON.stringify(value),
  })
  if (request.headers.Authorization !== 'Bearer mockpets') {
    return give(401, { code: 'unauthorized', message: 'No key.', status: 401 })
  }
  const wrong = (message) => give(400, { code: 'invalid_request', message, status: 400 })
  if (request.method === 'POST') {
    const { name, categoryId, status } = JSON.parse(request.body)
    if (typeof name !== 'string' || !Number.isInteger(categoryId)) return wrong('name, categoryId')
    const pet = { id: state.pets.length + 1, name, categoryId, status }
    state.pets.push(pet)
    return give(201, pet)
  }
  const limit = Number(request.query.limit || 20)
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) return wrong('limit must be 1 to 100')
  const status = request.query.status
  const found = []
  for (const pet of state.pets) {
    if (found.length === limit) break
    if (status === undefined || pet.status === status) found.push(pet)
  }
  return give(200, found)
}
