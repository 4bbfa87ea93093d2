import type { Voice } from './api.ts'
import { etagOf } from './etag.ts'
import { linkOf, type Page } from './page.ts'
import type { Problem } from './problem.ts'
import type { RouteFacts } from './route.ts'

/**
 * An answer as bytes, complete but for what belongs to one request. Built once: a shared flight sends the same
 * value to each of its passengers. `headers` are name, value, name, value.
 */
export interface Reply {
  status: number
  headers: readonly string[]
  chunks: readonly Buffer[]
  /** Bytes of all chunks. */
  length: number
  /** Of a read that succeeded. */
  etag?: string
}

/** Turns what a handler gave back into bytes, as its route declares; `url` and `root` go into `Link`. */
export async function replyOf(
  route: RouteFacts,
  voice: Voice,
  result: unknown,
  { root, url }: { root: string; url: string },
): Promise<Reply> {
  if (!route.shape) return { status: route.status, headers: voice.headers, chunks: [], length: 0 }
  const page = route.sends === 'page' ? (result as Page<unknown>) : undefined
  const chunks =
    route.sends === 'batches' ? await batchesOf(result as Batches) : [bytesOf(page?.rows ?? result)]
  const reply = jsonReply(route.status, voice, chunks, page ? pageHeaders(root, url, page) : [])
  if (route.method !== 'GET') return reply
  const etag = etagOf(chunks)
  return { ...reply, etag, headers: [...reply.headers, 'ETag', etag] }
}

/** The error reply of an API. */
export function problemReply(voice: Voice, problem: Problem): Reply {
  const headers = Object.entries(problem.extra.headers ?? {}).flat()
  return jsonReply(problem.status, voice, [bytesOf(voice.problem(problem))], headers)
}

function jsonReply(status: number, voice: Voice, chunks: readonly Buffer[], more: readonly string[]): Reply {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const own = ['Content-Type', voice.json, 'Content-Length', String(length)]
  return { status, headers: [...voice.headers, ...own, ...more], chunks, length }
}

function pageHeaders(root: string, url: string, page: Page<unknown>): string[] {
  const link = linkOf(root, url, page)
  const total = ['X-Total-Count', String(page.total)]
  if (!link) return [...total, 'Access-Control-Expose-Headers', 'X-Total-Count']
  return ['Link', link, ...total, 'Access-Control-Expose-Headers', 'Link, X-Total-Count']
}

type Batches = AsyncIterable<readonly unknown[]>

/** A JSON array from batches of rows: its text is held once, its rows never all together. */
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

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))
