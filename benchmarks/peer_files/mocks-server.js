// Routes for mocks-server, each with one middleware variant.
const { create, get, list } = require("../../store.mjs");

const send = (response, { status, body }) => response.status(status).json(body);
const route = (id, method, url, middleware) => ({
  id,
  method,
  url,
  variants: [{ id: "pets", type: "middleware", options: { middleware } }],
});

module.exports = [
  route("list", "GET", "/v1/pets", (request, response) => {
    const query = new URL(request.url, "http://localhost").searchParams;
    send(response, list(request.headers.authorization, query));
  }),
  route("get", "GET", "/v1/pets/:id", (request, response) => {
    send(response, get(request.headers.authorization, request.params.id));
  }),
  route("create", "POST", "/v1/pets", (request, response) => {
    send(response, create(request.headers.authorization, request.body));
  }),
];
