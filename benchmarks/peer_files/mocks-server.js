// mocks-server's routes, each with one variant that is a middleware.
const { create, list } = require('../../store.mjs')

const give = (response, { status, body }) => response.status(status).json(body)
const route = (id, method, middleware) => ({
  id,
  method,
  url: '/v1/pets',
  variants: [{ id: 'pets', type: 'middleware', options: { middleware } }],
})

module.exports = [
  route('list', 'GET', (request, response) => {
    const query = new URL(request.url, 'http://localhost').searchParams
    give(response, list(request.headers.authorization, query))
  }),
  route('create', 'POST', (request, response) => {
    give(response, create(request.headers.authorization, request.body))
  }),
]
