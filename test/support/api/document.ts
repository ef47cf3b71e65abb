// Holds answers against the OpenAPI document, in its strict form: a field that the document does not know is a fault.

import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { Router } from '../../../functions/http/router.ts'
import { ROUTES } from '../../../functions/http/routes.ts'
import { type Document, openApiDocument } from '../../../functions/openapi/document.ts'

export const DOCUMENT: Document = openApiDocument('0.1.0', true)

const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false })
ajv.addSchema(DOCUMENT, 'document')
const router = new Router(ROUTES)

const escaped = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1')

/** Whether the document takes a value as the body of an operation. */
export function takes(method: string, path: string, body: unknown): boolean {
  const where = `/paths/${escaped(path)}/${method.toLowerCase()}/requestBody/content/application~1json/schema`
  const validate = ajv.getSchema(`document#${where}`)
  if (validate === undefined) throw new Error(`${method} ${path} has no body in the document`)
  return validate(body) === true
}

type Responses = Record<string, { content?: Record<string, object> }>

/** Fails where the answer is not what the document says of its route and status. */
export function answerFits(method: string, path: string, status: number, json: unknown): void {
  const asked = method === 'HEAD' ? 'GET' : method
  const found = router.find(path)?.of(asked) ?? null
  if (found === null || method === 'HEAD' || method === 'OPTIONS') {
    if (json !== undefined) fits('document#/components/schemas/Problem', json, `${method} ${path} ${status}`)
    return
  }
  const { route } = found
  const operation = DOCUMENT.paths[route.path][route.method.toLowerCase()] as { responses: Responses }
  const answer = operation.responses[String(status)]
  const place = `${route.operationId} ${status}`
  if (answer === undefined) {
    // Every route may say these, and the document says so once.
    expect([403, 405, 409, 412, 500], `${place} is not in the document: ${JSON.stringify(json)}`).toContain(status)
    fits('document#/components/schemas/Problem', json, place)
    return
  }
  const [type] = Object.keys(answer.content ?? {})
  if (type === undefined) {
    expect(json, `${place} has no body`).toBeUndefined()
    return
  }
  if (!type.includes('json')) return
  const where = `/paths/${escaped(route.path)}/${route.method.toLowerCase()}/responses/${status}/content/${escaped(type)}/schema`
  fits(`document#${where}`, json, place)
}

/** Fails where a value is not what a named schema of the document says. */
export const fitsSchema = (name: string, json: unknown): void =>
  fits(`document#/components/schemas/${name}`, json, `the schema ${name}`)

/** Fails where a value is not what the schema at a place of the document says. */
export const fitsPlace = (path: readonly string[], json: unknown): void =>
  fits(`document#/${path.map(escaped).join('/')}`, json, path.join(' '))

function fits(reference: string, json: unknown, place: string): void {
  const validate = ajv.getSchema(reference)
  if (validate === undefined) throw new Error(`${reference} is not in the document`)
  const isFine = validate(json)
  const told = JSON.stringify(validate.errors?.slice(0, 3))
  expect(isFine, `${place} does not fit the document: ${told}\n${JSON.stringify(json).slice(0, 1500)}`).toBe(true)
}
