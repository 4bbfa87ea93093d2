import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Ended, RunningProcess } from '../program/process.ts'

/** What goes between a git process and a client. */
export interface Relay {
  running: RunningProcess
  /** Given to git; absent: git gets an empty input. */
  body?: Readable | Buffer
  res: ServerResponse
  /** Sent before what git writes. */
  head?: Buffer
  contentType: string
  /** Sees what git writes. */
  tap?: (chunk: Buffer) => void
}

/** Headers of every answer to git: nothing of it may be kept by anybody on the way. */
export const uncached = {
  Expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  Pragma: 'no-cache',
  'Cache-Control': 'no-cache, max-age=0, must-revalidate',
} as const

/**
 * Carries bytes both ways, each way no faster than its receiver takes them, until git has ended. The response has its
 * head only once git has written something, and is left open. With the client gone, what git still writes is dropped.
 */
export async function relay({ running, body, res, head, contentType, tap }: Relay): Promise<Ended> {
  if (body instanceof Readable) body.pipe(running.stdin)
  else running.stdin.end(body)
  await running.pieces(async (piece) => {
    tap?.(Buffer.from(piece))
    if (piece.length > short && !res.closed) await oneEachTurn()
    if (res.closed) return
    if (!res.headersSent) open(res, contentType, head)
    await written(res, piece)
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

/** Bytes of a piece that waits for nobody: answers about refs are mostly of one such. */
const short = 16 * 1024

/** The last in line for a turn of the event loop. */
let last = Promise.resolve()

/**
 * One long piece is written in a turn of the event loop, whoever it is for: it keeps the loop as long as a few requests
 * do, and the rest of the turn is theirs. With nothing else to do turns are short.
 */
function oneEachTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
  return last
}

/** Resolves when the kernel has all of it, or the client is gone. */
function written(res: ServerResponse, piece: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('close', done)
      resolve()
    }
    res.once('close', done)
    res.write(piece, done)
  })
}
