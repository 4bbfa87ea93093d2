import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import * as v from 'valibot'
import { headersOf } from '../../src/http/openapi/responses.ts'
import type { Mounted } from '../../src/http/route/api.ts'
import type { Schema } from '../../src/http/route/validate.ts'

/** What a call carries. Path parameters are percent-encoded; a body that is no string is sent as its JSON. */
export interface Call {
  params?: Record<string, string | number>
  query?: Record<string, string | number | readonly string[]>
  body?: unknown
  headers?: Record<string, string>
  /** Who calls: somebody that was made, `basic(…)` or `bearer(…)`. */
  as?: { authorization: string }
}

export interface Answered {
  status: number
  headers: Headers
  /** Parsed JSON; the text where it is none; undefined without a body. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says by its assertions what it expects
  body: any
}

/** `call('POST /api/news', { body })`; the literal is the route's own, with the prefix of its API. */
export type Client = (literal: string, call?: Call) => Promise<Answered>

/** A client that knows the declarations: every reply must be one that its route declares. */
export function clientOf(root: string, routes: readonly Mounted[]): Client {
  return async (literal, call = {}) => {
    const [method = '', path = ''] = literal.split(' ')
    const mounted = routes.find((each) => each.method === method && each.path === path)
    assert.ok(mounted, `${literal} is declared`)
    const asked = { method, redirect: 'manual', ...bodyOf(call) } as const
    const url = root + targetOf(path, call)
    const answered =
      mounted.route.returns.status === 205 ? await readReset(url, asked) : await read(await fetch(url, asked))
    // Whom an administrator wants to act as may not exist, whatever the route is.
    const more = call.query?.sudo || call.headers?.sudo ? [404] : []
    holdAgainst(mounted, literal, answered, more)
    return answered
  }
}

function targetOf(path: string, { params = {}, query = {} }: Call): string {
  const filled = path.replace(/\{(\w+)(\.\.\.)?\}/g, (_, name: string, isRest?: string) => {
    const escaped = encodeURIComponent(String(params[name]))
    return isRest ? escaped.replaceAll('%2F', '/') : escaped
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) search.append(name, String(each))
  }
  return search.size > 0 ? `${filled}?${search}` : filled
}

function bodyOf({ body, as, headers: own = {} }: Call): RequestInit {
  const headers = as ? { authorization: as.authorization, ...own } : own
  if (body === undefined) return { headers }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { body: text, headers: { 'content-type': 'application/json', ...headers } }
}

/** A reply as the client keeps it. */
async function read(response: Response): Promise<Answered> {
  const text = await response.text()
  const type = response.headers.get('content-type')
  const body = type?.includes('json') ? JSON.parse(text) : type === null ? undefined : text
  return { status: response.status, headers: response.headers, body }
}

/** A reply whose status is 205 when all is well: `fetch` drops the body of one (Fetch, "null body status"). */
async function readReset(url: string, { method, headers, body }: RequestInit): Promise<Answered> {
  const sent = request(url, {
    method: method ?? 'GET',
    headers: Object.fromEntries(new Headers(headers)),
    agent: false,
  })
  sent.end(body)
  const [reply] = (await once(sent, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of reply) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const { statusCode = 0, rawHeaders } = reply
  const names = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2)
    names.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  const isJson = names.get('content-type')?.includes('json')
  return { status: statusCode, headers: names, body: isJson ? JSON.parse(text) : text || undefined }
}

/** Statuses that any operation may answer with, because the hall does: not in each declaration. */
const hallStatuses = [304, 400, 405, 408, 413, 415, 503]

function holdAgainst(
  mounted: Mounted,
  literal: string,
  { status, headers, body }: Answered,
  more: readonly number[],
): void {
  const { route, profile } = mounted
  const declared = [route.returns.status, ...route.also, ...route.fails, ...hallStatuses, ...more]
  assert.ok(declared.includes(status), `${literal} may not answer ${status}: ${JSON.stringify(body)}`)
  assert.ok(headers.get('x-request-id'), `${literal} names its request`)
  holdHeaders(mounted, literal, { status, headers })
  if (status !== route.returns.status) return
  if (!route.returns.shape) assert.equal(body, undefined, `${literal} has no body`)
  else holdShape(route.returns.shape, body, literal)
  if (route.returns.shape && route.returns.media !== '*/*')
    assert.equal(headers.get('content-type'), route.returns.media ?? profile.json)
}

/** The APIs that have a document, by their base. */
const documented = ['/api', '/api/v1']

/** Headers that HTTP has or that an API gives to all of its answers: no document repeats them. */
const general =
  /^(accept-ranges|access-control-.*|cache-control|connection|content-.*|date|keep-alive|last-modified|transfer-encoding|vary|x-content-type-options|x-frame-options|x-request-id)$/

/** Headers that an answer has where they apply; the others of a declaration are always there. */
const sometimes = ['link', 'retry-after', 'idempotency-replayed', 'www-authenticate']

/** An answer has the headers that the document names, and no others of its own. */
function holdHeaders(
  { route, profile }: Mounted,
  literal: string,
  { status, headers }: Pick<Answered, 'status' | 'headers'>,
): void {
  const declared = [route.returns.status, ...route.also, ...route.fails]
  if (!documented.includes(profile.base) || !declared.includes(status)) return
  const named = headersOf(route, status).map((name) => name.toLowerCase())
  const expected = named.filter((name) => headers.has(name) || !sometimes.includes(name))
  const own = [...headers.keys()].filter((name) => !general.test(name))
  assert.deepEqual(
    own.toSorted(),
    expected.toSorted(),
    `${literal} ${status} has the headers of its document`,
  )
}

/** What is declared and nothing else, in the order of the declaration. */
function holdShape(shape: Schema, body: unknown, literal: string): void {
  const declared = v.parse(shape, body)
  assert.deepEqual(declared, body, `${literal} sends what it declares and nothing else`)
  assert.equal(JSON.stringify(body), JSON.stringify(declared), `${literal} sends its members in order`)
}
