import { STATUS_CODES } from 'node:http'
import type { Page } from '../../db/page.ts'
import type { ApiProfile, PageRequest } from '../route/api.ts'
import { linkOf } from '../route/page.ts'
import type { Problem } from '../route/problem.ts'
import type { Stream } from '../route/results.ts'
import { ReplyWith } from '../route/results.ts'
import type { RouteFacts } from '../route/route.ts'
import type { PageForm } from '../route/sends.ts'
import { etagOf } from './etag.ts'

/**
 * A serialized answer, complete except for what is specific to one request. It is built once: a shared run sends the
 * same object to each of its callers. `headers` are name, value, name, value.
 */
export interface Reply {
  status: number
  headers: readonly string[]
  chunks: readonly Buffer[]
  /** Bytes of all chunks. */
  length: number
  /** Only for successful GET requests. */
  etag?: string
  /** Whether it is a page, which is sent compressed. */
  isPage?: boolean
  /** Writes the whole answer itself, including the status; `headers` are sent before its own. */
  stream?: Stream
}

/** Status line and headers, each with its line end. */
export function headOf({ status, headers }: Reply): string {
  const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1] ?? ''}\r\n`] : []))
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n${lines.join('')}`
}

/** Replies of `fixed` routes, by the result object. */
const fixedReplies = new WeakMap<object, Reply | Promise<Reply>>()

/**
 * Serializes the result of a handler as its route declares; `target` is used in `Link`. Returns a promise only for rows
 * in batches.
 */
export function replyOf(
  route: RouteFacts,
  profile: ApiProfile,
  result: unknown,
  target: LinkTarget,
): Reply | Promise<Reply> {
  if (!route.fixed || typeof result !== 'object' || result === null)
    return makeReply(route, profile, result, target)
  const reply = fixedReplies.get(result) ?? makeReply(route, profile, result, target)
  fixedReplies.set(result, reply)
  return reply
}

/** What links in a reply are made from: the public root, and the target of the request. */
interface LinkTarget {
  root: string
  url: string
}

function makeReply(
  route: RouteFacts,
  profile: ApiProfile,
  result: unknown,
  { root, url }: LinkTarget,
): Reply | Promise<Reply> {
  if (result instanceof ReplyWith) {
    const reply = replyOf(route, profile, result.value, { root, url })
    return reply instanceof Promise
      ? reply.then((made) => withOptions(made, result))
      : withOptions(reply, result)
  }
  const { status, shape, media, kind, page: form } = route.returns
  if (kind === 'stream' || typeof result === 'function')
    return { stream: result as Stream, ...bodiless(status, profile) }
  if (!shape) return bodiless(status, profile)
  if (media !== undefined) return tagged(route, mediaReply(status, profile, media, String(result)))
  const asJson = (chunks: readonly Buffer[], headers: readonly string[] = []) =>
    tagged(route, jsonReply(status, profile, chunks, headers))
  if (kind === 'batches') return batchesOf(result as Batches).then((chunks) => asJson(chunks))
  if (!form) return asJson([jsonOf(result)])
  const page = result as Page<unknown>
  return asJson([jsonOf(form.bodyOf(page))], headersOf(form, page, { root, url }))
}

/** Adds an `ETag` to the reply of a GET request. */
function tagged({ method }: RouteFacts, reply: Reply): Reply {
  if (method !== 'GET') return reply
  const etag = etagOf(reply.chunks)
  return { etag, ...reply, headers: [...reply.headers, 'ETag', etag] }
}

function withOptions(reply: Reply, { options }: ReplyWith<unknown>): Reply {
  const headers = [...reply.headers, ...Object.entries(options.headers ?? {}).flat()]
  if (options.status !== 204) return { ...reply, status: options.status ?? reply.status, headers }
  const ofBody = new Set(['Content-Type', 'Content-Length', 'ETag'])
  return { status: 204, headers: withoutHeaders(headers, ofBody), chunks: [], length: 0 }
}

/** Headers as name, value, name, value without those of these names. */
export function withoutHeaders(headers: readonly string[], names: ReadonlySet<string>): string[] {
  return headers.filter((text, at) => !names.has(at % 2 === 0 ? text : (headers[at - 1] ?? '')))
}

/** The error reply of an API; as a page if the API has pages and the request `forPage` prefers HTML. */
export function problemReply(profile: ApiProfile, problem: Problem, forPage?: PageRequest): Reply {
  const { status, message, extra } = problem
  const headers = Object.entries(extra.headers ?? {}).flat()
  if (extra.form === 'text') return mediaReply(status, profile, plain, `${message}\n`, headers)
  if (extra.form === 'empty') return bodiless(status, profile, ['Content-Length', '0', ...headers])
  if (forPage && profile.errorPage) {
    const page = extra.page ?? profile.errorPage(problem, forPage)
    return mediaReply(status, profile, htmlPage, page, headers)
  }
  return jsonReply(status, profile, [jsonOf(profile.problem(problem))], headers)
}

const plain = 'text/plain; charset=utf-8'
const htmlPage = 'text/html; charset=utf-8'

function bodiless(status: number, profile: ApiProfile, more: readonly string[] = []): Reply {
  return { status, headers: [...profile.headers, ...more], chunks: [], length: 0 }
}

function mediaReply(
  status: number,
  profile: ApiProfile,
  media: string,
  text: string,
  more: readonly string[] = [],
): Reply {
  const bytes = Buffer.from(profile.finish?.(text) ?? text)
  const ofBody = ['Content-Type', media, 'Content-Length', String(bytes.length)]
  const headers = [...profile.headers, ...ofBody, ...more]
  return { status, headers, chunks: [bytes], length: bytes.length, isPage: media === htmlPage }
}

function jsonReply(
  status: number,
  profile: ApiProfile,
  chunks: readonly Buffer[],
  more: readonly string[],
): Reply {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const ofBody = ['Content-Type', profile.json, 'Content-Length', String(length)]
  return { status, headers: [...profile.headers, ...ofBody, ...more], chunks, length }
}

function headersOf({ isNumbered }: PageForm, page: Page<unknown>, { root, url }: LinkTarget): string[] {
  const link = linkOf(root, url, page)
  const numbers = isNumbered ? numbersOf(page) : []
  const headers = [...(link ? ['Link', link] : []), 'X-Total-Count', String(page.total), ...numbers]
  const names = headers.filter((_, at) => at % 2 === 0)
  return [...headers, 'Access-Control-Expose-Headers', names.join(', ')]
}

function numbersOf({ page, limit, total }: Page<unknown>): string[] {
  const pages = Math.ceil(total / limit)
  const numbers = { 'X-Page': page, 'X-PerPage': limit, 'X-Total': total, 'X-PageCount': pages }
  return [...Object.entries(numbers).flat().map(String), 'X-HasMore', String(page < pages)]
}

type Batches = AsyncIterable<readonly unknown[]>

/** A JSON array from batches of rows: holds the whole text, but never all rows at once. */
async function batchesOf(batches: Batches): Promise<Buffer[]> {
  const chunks: Buffer[] = []
  for await (const rows of batches) {
    if (rows.length === 0) continue
    const opening = chunks.length === 0 ? '[' : ','
    chunks.push(Buffer.from(opening + JSON.stringify(rows).slice(1, -1)))
  }
  chunks.push(Buffer.from(chunks.length === 0 ? '[]' : ']'))
  return chunks
}

const jsonOf = (value: unknown) => Buffer.from(JSON.stringify(value))
