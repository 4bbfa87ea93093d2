import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import {
  Code,
  ConnectError,
  createConnectRouter,
  createContextKey,
  createContextValues,
} from '@connectrpc/connect'
import type { UniversalHandler } from '@connectrpc/connect/protocol'
import { compressionGzip } from '@connectrpc/connect-node'
import { problemFromDatabaseError } from '../../http/database-errors.ts'
import { Problem } from '../../http/route/problem.ts'
import type { Stream } from '../../http/route/results.ts'
import { fetchTask, giveBack, SpentError } from './fetch.ts'
import { updateLog } from './log.ts'
import { bounded, expanded } from './protocol/bounds.ts'
import { PingService, RunnerService } from './protocol/messages.ts'
import { declare, register } from './register.ts'
import { updateTask } from './report.ts'
import { type CallContext, type RunnerContext, UNREGISTERED } from './runner-call.ts'
import { noteSign, type StoredRunner } from './runner-store.ts'

/** The runner protocol by its library: from the bytes of a request to those of an answer (connectrpc.com, protocol). */

/** One call, with what became of it. */
interface Call {
  context: CallContext | RunnerContext
  /** Whether the message could be read. */
  begun?: true
  /** A task that was given out with the answer. */
  task?: number
}

/** A request as the pipeline has read it. */
export interface Received {
  url: string
  headers: IncomingHttpHeaders
  body: Buffer
}

const callKey = createContextKey<Call | undefined>(undefined)

/** What the library speaks. A call that has options of its own would otherwise be taken in every protocol that it knows. */
const connectOnly = { grpc: false, grpcWeb: false } as const

/** Bytes of a message, however small it was sent: of whoever calls, and of a runner. */
const longest = {
  open: { ...connectOnly, readMaxBytes: 1024 * 1024 },
  runner: { ...connectOnly, readMaxBytes: 64 * 1024 * 1024 },
}

/** Carries out a call; gives what writes its answer. */
export async function answer(
  path: string,
  received: Received,
  context: CallContext | RunnerContext,
): Promise<Stream> {
  const handler = handlers.get(path)
  if (!handler) throw new Problem(404, 'not found')
  const call: Call = { context }
  const { headers, body } = await readable(path, received)
  const deadline = new AbortController()
  const response = await handler({
    httpVersion: '1.1',
    method: 'POST',
    url: new URL(received.url, 'http://runner').href,
    header: headersOf(headers),
    body: once(body),
    signal: deadline.signal,
    contextValues: createContextValues().set(callKey, call),
  })
  // The library takes bytes that are no message for a fault of ours.
  if (response.status === 500 && !call.begun) throw new Problem(400, 'the message cannot be read')
  const bytes = await whole(response.body)
  return async ({ socket }: IncomingMessage, res: ServerResponse) => {
    // A runner that has given up does not know of its task.
    if ((res.destroyed || socket.readableEnded) && call.task !== undefined) {
      res.destroy()
      return giveBack(context, call.task)
    }
    response.header?.forEach((value, name) => {
      res.setHeader(name, value)
    })
    res.writeHead(response.status, { 'Content-Length': bytes.length })
    res.end(bytes)
  }
}

/** Bytes of a report that was compressed: programs of runners do not, and a small body must not fill the memory. */
const longestPacked = 4 * 1024 * 1024

/** Calls that runners make about their tasks: outputs and logs are long. */
const isReport = (path: string) => path.endsWith('/UpdateTask') || path.endsWith('/UpdateLog')

/** What the library may read. What is neither of its codecs, or compressed wrongly, it refuses itself. @throws Problem 400, 413 */
async function readable(path: string, received: Received): Promise<Pick<Received, 'headers' | 'body'>> {
  const { 'content-encoding': packed, 'content-length': _, ...headers } = received.headers
  const codec = /^application\/(json|proto)\b/i.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase()
  if (codec === undefined || !['gzip', 'identity', undefined].includes(packed)) return received
  const most = isReport(path) ? longestPacked : longest.open.readMaxBytes
  const bytes = packed === 'gzip' ? await expanded(received.body, most) : received.body
  if (!bytes && isReport(path)) throw new Problem(413, `a compressed message grows to ${most} bytes at most`)
  return bytes ? { headers, body: bounded(path, codec === 'proto', bytes) } : received
}

const handlers = new Map<string, UniversalHandler>(
  createConnectRouter({
    acceptCompression: [compressionGzip],
    // Fields of newer runners are passed over, not kept.
    binaryOptions: { readUnknownFields: false },
    ...longest.runner,
  })
    .rpc(
      PingService.method.ping,
      ({ data }, { values }) => answering(values.get(callKey), async () => ({ data: `Hello, ${data}!` })),
      longest.open,
    )
    .service(RunnerService, {
      declare: (request, { values }) =>
        calling(values.get(callKey), async (context) => {
          // No capabilities in the headers: summaries, the only one there is, are not kept.
          return { runner: printRunner(await declare(context, request)) }
        }),
      fetchTask: (request, { values, signal }) =>
        calling(values.get(callKey), async (context, call) => {
          await noteSign(context.sql, context.runner, { now: context.now, active: false })
          const { task, tasksVersion } = await fetchTask(context, request.tasksVersion)
          if (!task) return { tasksVersion }
          // Late is as good as never: the runner has stopped listening.
          if (signal.aborted) {
            await giveBack(context, Number(task.id))
            throw new ConnectError('the runner did not wait', Code.DeadlineExceeded)
          }
          call.task = Number(task.id)
          return { task, tasksVersion }
        }),
      updateTask: (request, { values }) =>
        calling(values.get(callKey), async (context) => {
          await noteSign(context.sql, context.runner, { now: context.now, active: true })
          const { id, result, sentOutputs } = await updateTask(context, request)
          return { state: { id, result }, sentOutputs }
        }),
      updateLog: (request, { values }) =>
        calling(values.get(callKey), async (context) => {
          await noteSign(context.sql, context.runner, { now: context.now, active: true })
          return { ackIndex: BigInt(await updateLog(context, request)) }
        }),
    })
    // Of two handlers for one path the later one counts.
    .rpc(
      RunnerService.method.register,
      (request, { values }) =>
        answering(values.get(callKey), async ({ context }) => {
          const { runner, token } = await register(context, request)
          return { runner: { ...printRunner(runner), token } }
        }),
      longest.open,
    )
    .handlers.map((handler) => [handler.requestPath, handler]),
)

/** Runs a call that needs a runner. */
function calling<Result>(
  call: Call | undefined,
  work: (context: RunnerContext, call: Call) => Promise<Result>,
): Promise<Result> {
  return answering(call, (known) => {
    if (!('runner' in known.context)) throw new ConnectError(UNREGISTERED, Code.Unauthenticated)
    return work(known.context, known)
  })
}

async function answering<Result>(
  call: Call | undefined,
  work: (call: Call) => Promise<Result>,
): Promise<Result> {
  if (!call) throw new ConnectError('internal error', Code.Internal)
  call.begun = true
  try {
    return await work(call)
  } catch (error) {
    throw refusal(error, call.context)
  }
}

/** A failure in the words of the protocol; what only we can have caused stands in the log and nowhere else. */
function refusal(error: unknown, { tools: { log } }: CallContext): ConnectError {
  if (error instanceof ConnectError) return error
  if (error instanceof SpentError) return new ConnectError(UNREGISTERED, Code.Unauthenticated)
  const problem = error instanceof Problem ? error : problemFromDatabaseError(error, {})
  if (problem) {
    log.debug(problem.message, { status: problem.status, error: problem.extra.log })
    return new ConnectError(problem.message, codeOf(problem.status))
  }
  log.error('a call of a runner failed', { error: error instanceof Error ? error.stack : String(error) })
  return new ConnectError('internal error', Code.Internal)
}

const codes: Readonly<Record<number, Code>> = {
  400: Code.InvalidArgument,
  401: Code.Unauthenticated,
  403: Code.PermissionDenied,
  404: Code.NotFound,
  409: Code.Aborted,
  413: Code.ResourceExhausted,
  415: Code.InvalidArgument,
  501: Code.Unimplemented,
  503: Code.Unavailable,
}

/** What a status is called in the protocol. */
export const codeOf = (status: number): Code => codes[status] ?? Code.Internal

function printRunner({ id, uuid, name, version, labels, ephemeral }: StoredRunner) {
  return { id: BigInt(id), uuid, name, version, labels, ephemeral }
}

function headersOf(given: IncomingHttpHeaders): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  return headers
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

async function whole(body: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  if (body) for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}
