// Routes for mocks-server, each with one middleware variant.
const { create, list } = require('../../store.mjs')

const send = (response, { status, body }) => response.status(status).json(body)
const route = (id, method, middleware) => ({
  id,
  method,
  url: '/v1/pets',
  variants: [{ id: 'pets', type: 'middleware', options: { middleware } }],
})

module.exports = [
  route('list', 'GET', (request, response) => {
    const query = new URL(request.url, 'http://localhost').searchParams
    send(response, list(request.headers.authorization, query))
  }),
  route('create', 'POST', (request, response) => {
    send(response, create(request.headers.authorization, request.body))
  }),
]
