import type { IncomingMessage, ServerResponse } from 'node:http'
import { write } from '../../git/http/relay.ts'
import { problemOf } from '../repos/git-service.ts'
import { type Code, gitValue } from './code.ts'

/** Maximum time without progress of a client that reads, in milliseconds. */
const silence = 60_000

/** Settings of differences that a repository cannot change. */
export const plainDiff = ['--no-color', '--no-ext-diff', '--no-textconv']

/** Sends as text what git writes about commits; `args` have no paths. @throws Problem 404, 503 */
export const sendText = (
  exchange: { req: IncomingMessage; res: ServerResponse },
  code: Code,
  args: readonly string[],
): Promise<void> =>
  sendOutput(exchange, code, {
    args: [...args, '--'],
    headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  })

/** An answer that git writes. */
interface Output {
  args: readonly string[]
  /** What git reads; absent: nothing. */
  input?: string
  /** Sent before what git writes. */
  head?: string
  headers: Readonly<Record<string, string>>
  /** It waits behind clones and takes their place; absent: it is short. */
  isLong?: boolean
}

/**
 * Sends what git writes, at the speed of the client, and ends git when the client leaves.
 * @throws Problem before the first byte: 404, 503
 */
export async function sendOutput(
  { req, res }: { req: IncomingMessage; res: ServerResponse },
  code: Code,
  { args, input, head, headers, isLong = false }: Output,
): Promise<void> {
  if (req.method === 'HEAD') return void res.writeHead(200, headers).end()
  const running = gitValue(await code.git.stream(code.directory, args, { light: !isLong }))
  running.stdin.end(input)
  req.socket.setTimeout(silence)
  await running.chunks(async (chunk) => {
    if (res.closed) return
    if (!res.headersSent) {
      res.writeHead(200, headers)
      if (head !== undefined) res.write(head)
    }
    await write(res, chunk)
  })
  const { ok, fault } = await running.ended
  if (res.closed) return
  if (ok) {
    if (!res.headersSent) res.writeHead(200, headers)
    res.end()
  } else if (fault && !res.headersSent) throw problemOf(fault)
  // The client must not take it for complete.
  else res.destroy()
}
