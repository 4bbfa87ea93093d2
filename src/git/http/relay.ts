import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Ended, RunningProcess } from '../program/process.ts'

/** A git process, a client, and the bytes between them. */
interface Relay {
  running: RunningProcess
  /** Input of git; absent: git gets an empty input. */
  body?: Readable | Buffer
  res: ServerResponse
  /** Sent before git's output. */
  head?: Buffer
  contentType: string
  /** Gets a copy of git's output. */
  tap?: (chunk: Buffer) => void
}

/** Headers of every answer to a git client: no cache may store it. */
export const uncached = {
  Expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  Pragma: 'no-cache',
  'Cache-Control': 'no-cache, max-age=0, must-revalidate',
} as const

/**
 * Copies bytes in both directions, each at the speed of its receiver, until git has ended. The headers are sent with
 * git's first output, and the response is left open. If the client disconnects, the rest of git's output is dropped.
 */
export async function relay({ running, body, res, head, contentType, tap }: Relay): Promise<Ended> {
  if (body instanceof Readable) body.pipe(running.stdin)
  else running.stdin.end(body)
  await running.chunks(async (chunk) => {
    tap?.(Buffer.from(chunk))
    if (chunk.length > maxImmediate && !res.closed) await nextTick()
    if (res.closed) return
    if (!res.headersSent) open(res, contentType, head)
    await write(res, chunk)
  })
  const ended = await running.ended
  if (body instanceof Readable) body.unpipe(running.stdin)
  if (ended.ok && !res.headersSent && !res.closed) open(res, contentType, head)
  return ended
}

function open(res: ServerResponse, contentType: string, head: Buffer | undefined): void {
  res.writeHead(200, { ...uncached, 'Content-Type': contentType })
  if (head) res.write(head)
}

/**
 * Maximum bytes of a chunk that is written without waiting for a tick: answers about refs are mostly one such chunk.
 */
const maxImmediate = 16 * 1024

/** The last scheduled event-loop tick. */
let lastTick = Promise.resolve()

/**
 * Only one long chunk is written per event-loop tick, across all clients: writing it takes as long as a few requests,
 * and the rest of the tick is left to those. With nothing else to do, ticks are short.
 */
function nextTick(): Promise<void> {
  lastTick = lastTick.then(() => new Promise((resolve) => setImmediate(resolve)))
  return lastTick
}

/** Resolves when the kernel has accepted all of it, or the client has disconnected. */
export function write(res: ServerResponse, chunk: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('close', done)
      resolve()
    }
    res.once('close', done)
    res.write(chunk, done)
  })
}
