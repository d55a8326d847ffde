// An empty server: Node's own HTTP server, which sends 1.3 kB, about the size of a list response.
import { createServer } from 'node:http'

const body = 'x'.repeat(1300)
createServer((request, response) => {
  response.setHeader('Content-Type', 'application/json')
  response.end(body)
}).listen(Number(process.env.PORT), '127.0.0.1')
