// Start Scalar's mock server.
import { readFileSync } from 'node:fs'
import { serve } from '@hono/node-server'
import { createMockServer } from '@scalar/mock-server'

const document = JSON.parse(readFileSync('openapi.json', 'utf8'))
const { fetch } = await createMockServer({ document, logger: false })
serve({ fetch, hostname: '127.0.0.1', port: Number(process.env.PORT) })
