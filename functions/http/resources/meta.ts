// Routes that are open: whether the API is there, and how to use it.

import * as z from 'zod'
import { momentText } from '../answers/times.ts'
import { Problem } from '../problem.ts'
import { type Answer, type Call, type Route, route } from '../route.ts'
import { health } from '../schemas/things.ts'

/** The viewer's own files and nothing else; it asks this server only. */
const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'"

function file(call: Call, name: string): Answer {
  const found = call.world.settings.docs(name)
  if (found === null) throw new Problem('not-found', 'there is no such file. The viewer is at /docs')
  return { status: 200, text: found, headers: { 'content-security-policy': DOCS_POLICY } }
}

const html = { 200: { description: 'A file of the viewer', schema: z.string(), contentType: 'text/html' } }

export const META_ROUTES: readonly Route[] = [
  route(
    {
      operationId: 'health',
      method: 'GET',
      path: '/v1/health',
      access: 'open',
      tag: 'meta',
      summary: 'Whether the API is there',
      answers: { 200: { description: 'It is', schema: health } },
    },
    async ({ world }) => ({ status: 200, body: { status: 'ok', time: momentText(world.clock.nowMs()) } }),
  ),
  route(
    {
      operationId: 'openapi',
      method: 'GET',
      path: '/v1/openapi.json',
      access: 'open',
      tag: 'meta',
      summary: 'This document',
      answers: { 200: { description: 'OpenAPI 3.1', schema: z.record(z.string(), z.unknown()) } },
    },
    async ({ world }) => ({
      status: 200,
      text: { type: 'application/json', content: await world.settings.openapi() },
    }),
  ),
  route(
    {
      operationId: 'docs',
      method: 'GET',
      path: '/docs',
      access: 'open',
      tag: 'meta',
      summary: 'The API, to read and to try',
      answers: html,
    },
    async (call) => file(call, 'index.html'),
  ),
  route(
    {
      operationId: 'docsFile',
      method: 'GET',
      path: '/docs/{file}',
      access: 'open',
      tag: 'meta',
      summary: 'A file of the viewer',
      answers: html,
    },
    async (call) => file(call, call.params.file),
  ),
]
