// json-server's middleware: the key, and the contract's name for the page size.
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
