import type { IncomingMessage, ServerResponse } from 'node:http'
import { write } from '../../git/http/relay.ts'
import { watchReader } from '../../git/http/slow-client.ts'
import type { StreamKind } from '../../git/program/queues.ts'
import { problemOf } from '../git-service.ts'
import { type Code, gitValue } from '../repos/code.ts'

/** Sends the output of git about commits as text; `args` have no paths. @throws Problem 404, 503 */
export const sendText = (
  exchange: { req: IncomingMessage; res: ServerResponse },
  code: Code,
  args: readonly string[],
): Promise<void> =>
  sendOutput(exchange, code, {
    args: [...args, '--'],
    headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  })

/** A run of git whose output is the answer. */
interface Output {
  args: readonly string[]
  /** Standard input; absent: empty. */
  input?: string
  /** Sent before the output. */
  head?: string
  headers: Readonly<Record<string, string>>
  /** Its queue; that of texts by default. */
  kind?: StreamKind
}

/**
 * Sends the output of git at the speed of the client, and ends git when the client leaves.
 * @throws Problem before the first byte: 404, 503
 */
export async function sendOutput(
  { req, res }: { req: IncomingMessage; res: ServerResponse },
  code: Code,
  { args, input, head, headers, kind = 'text' }: Output,
): Promise<void> {
  if (req.method === 'HEAD') return void res.writeHead(200, headers).end()
  const running = gitValue(await code.git.stream(code.directory, args, { kind }))
  running.stdin.end(input)
  const stopWatch = watchReader(res, running)
  await running.chunks(async (chunk) => {
    if (res.closed) return
    if (!res.headersSent) {
      res.writeHead(200, headers)
      if (head !== undefined) res.write(head)
    }
    await write(res, chunk)
  })
  const { ok, fault } = await running.ended
  stopWatch()
  if (res.closed) return
  if (ok) {
    if (!res.headersSent) res.writeHead(200, headers)
    res.end()
  } else if (fault && !res.headersSent) throw problemOf(fault)
  // Otherwise the client would take the answer for complete.
  else res.destroy()
}
