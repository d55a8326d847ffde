// MSW's handlers behind its own HTTP middleware.
import { createServer } from '@mswjs/http-middleware'
import { http, HttpResponse } from 'msw'
import { create, list } from './store.mjs'

const give = ({ status, body }) => HttpResponse.json(body, { status })
const key = (request) => request.headers.get('authorization')

createServer(
  http.get('/v1/pets', ({ request }) => give(list(key(request), new URL(request.url).searchParams))),
  http.post('/v1/pets', async ({ request }) => give(create(key(request), await request.json()))),
).listen(Number(process.env.PORT), '127.0.0.1')
