import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { Ended, Running } from './process.ts'

/** What goes between a git process and a client. */
export interface Relay {
  running: Running
  /** Given to git; absent: git gets an empty input. */
  body?: Readable
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
  if (body) body.pipe(running.stdin)
  else running.stdin.end()
  try {
    for await (const chunk of running.stdout) {
      tap?.(chunk)
      if (res.closed) continue
      if (!res.headersSent) open(res, contentType, head)
      if (!res.write(chunk)) await drained(res)
    }
  } catch {
    // A pipe that breaks is the end of git, which says why by itself.
  }
  const ended = await running.ended
  body?.unpipe(running.stdin)
  if (ended.ok && !res.headersSent && !res.closed) open(res, contentType, head)
  return ended
}

function open(res: ServerResponse, contentType: string, head: Buffer | undefined): void {
  res.writeHead(200, { ...uncached, 'Content-Type': contentType })
  if (head) res.write(head)
}

function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done).off('close', done)
      resolve()
    }
    res.on('drain', done).on('close', done)
  })
}
