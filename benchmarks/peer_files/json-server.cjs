// Middleware for json-server: check the key and map the contract's `limit` to `_limit`.
module.exports = (request, response, next) => {
  if (request.headers.authorization !== 'Bearer mockpets') {
    const message = 'The API key is missing or invalid.'
    response.status(401).json({ code: 'unauthorized', message, status: 401 })
    return
  }
  if ('limit' in request.query) {
    request.query._limit = request.query.limit
    delete request.query.limit
  }
  next()
}
