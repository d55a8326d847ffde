// Mockaton's function mock for POST /v1/pets.
import { parseJSON } from 'mockaton'
import { create } from '../../store.mjs'

export default async (request, response) => {
  const sent = JSON.stringify(await parseJSON(request))
  const { status, body } = create(request.headers.authorization, sent)
  response.statusCode = status
  return JSON.stringify(body)
}
