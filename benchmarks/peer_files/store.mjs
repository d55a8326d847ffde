// The list and the create operation in plain JavaScript: what the users of some peers write themselves.
import { readFileSync } from 'node:fs'

const pets = JSON.parse(readFileSync(new URL('pets.json', import.meta.url), 'utf8'))
const STATUSES = ['available', 'pending', 'sold']
const error = (status, code, message) => ({ status, body: { code, message, status } })
const noKey = error(401, 'unauthorized', 'The API key is missing or invalid.')
const wrong = (message) => error(400, 'invalid_request', message)

export function list(authorization, query) {
  if (authorization !== 'Bearer mockpets') return noKey
  const limit = Number(query.get('limit') ?? 20)
  const status = query.get('status')
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) return wrong('limit must be 1 to 100')
  if (status !== null && !STATUSES.includes(status)) return wrong('status is unknown')
  const found = []
  for (const pet of pets) {
    if (found.length === limit) break
    if (status === null || pet.status === status) found.push(pet)
  }
  return { status: 200, body: found }
}

export function create(authorization, sent) {
  if (authorization !== 'Bearer mockpets') return noKey
  const { name, categoryId, status } = sent
  if (typeof name !== 'string') return wrong('name must be a string')
  if (!Number.isInteger(categoryId)) return wrong('categoryId must be an integer')
  if (status !== undefined && !STATUSES.includes(status)) return wrong('status is unknown')
  const pet = { id: pets.length + 1, name, categoryId, status }
  pets.push(pet)
  return { status: 201, body: pet }
}
