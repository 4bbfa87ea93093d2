import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import {
  Code,
  ConnectError,
  createConnectRouter,
  createContextKey,
  createContextValues,
} from '@connectrpc/connect'
import type { UniversalHandler } from '@connectrpc/connect/protocol'
import { codeFromString } from '@connectrpc/connect/protocol-connect'
import { compressionGzip } from '@connectrpc/connect-node'
import { problemFromDatabaseError } from '../../http/database-errors.ts'
import { Problem } from '../../http/route/problem.ts'
import type { Stream } from '../../http/route/results.ts'
import { codeOf, UNREGISTERED } from './codes.ts'
import { fetchTask, returnTask, SpentError } from './fetch.ts'
import { updateLog } from './log.ts'
import { boundedMessage, gunzipped } from './protocol/bounds.ts'
import { PingService, RunnerService } from './protocol/messages.ts'
import { declare, register } from './register.ts'
import { updateTask } from './report.ts'
import type { CallContext, RunnerContext } from './runner-call.ts'
import { recordContact, type StoredRunner } from './runner-store.ts'

/**
 * Runs the runner protocol with the Connect library: request bytes in, response bytes out (connectrpc.com, protocol).
 */

/** One call and its outcome. */
interface Call {
  context: CallContext | RunnerContext
  /** Set once the library has decoded the message. */
  isDecoded?: true
  /** The task that the response assigns. */
  task?: number
}

/** A request that the pipeline has read. */
interface HttpRequest {
  url: string
  headers: IncomingHttpHeaders
  body: Buffer
}

const callKey = createContextKey<Call | undefined>(undefined)

/** Connect only. A method with options of its own would otherwise accept every protocol that the library knows. */
const connectOnly = { grpc: false, grpcWeb: false } as const

/** Maximum bytes of a decompressed message: from unauthenticated callers, and from runners. */
const limits = {
  open: { ...connectOnly, readMaxBytes: 1024 * 1024 },
  runner: { ...connectOnly, readMaxBytes: 64 * 1024 * 1024 },
}

/** Carries out a call; returns the function that writes the response. */
export async function answer(
  path: string,
  request: HttpRequest,
  context: CallContext | RunnerContext,
): Promise<Stream> {
  const handler = handlers.get(path)
  if (!handler) throw new Problem(404, 'not found')
  const call: Call = { context }
  const { headers, body } = await decodable(path, request)
  const deadline = new AbortController()
  const response = await handler({
    httpVersion: '1.1',
    method: 'POST',
    url: new URL(request.url, 'http://runner').href,
    header: headersOf(headers),
    body: inOneChunk(body),
    signal: deadline.signal,
    contextValues: createContextValues().set(callKey, call),
  })
  // The library reports bytes that are not a message as an internal error.
  if (response.status === 500 && !call.isDecoded) throw new Problem(400, 'the message cannot be read')
  const bytes = await readAll(response.body)
  return async ({ socket }: IncomingMessage, res: ServerResponse) => {
    // A runner that has disconnected does not learn of its task.
    if ((res.destroyed || socket.readableEnded) && call.task !== undefined) {
      res.destroy()
      return returnTask(context, call.task)
    }
    response.header?.forEach((value, name) => {
      res.setHeader(name, value)
    })
    res.writeHead(response.status, { 'Content-Length': bytes.length })
    res.end(bytes)
  }
}

/**
 * Maximum bytes of a decompressed report. Runners do not compress; a small body must not fill the memory.
 */
const maxReportExpanded = 4 * 1024 * 1024

/** Whether a call reports on a task: outputs and logs are long. */
const isReport = (path: string) => path.endsWith('/UpdateTask') || path.endsWith('/UpdateLog')

/**
 * The request with a decompressed body that is not too large to decode. The library refuses other codecs and broken
 * compression.
 * @throws Problem 400, 413
 */
async function decodable(path: string, request: HttpRequest): Promise<Pick<HttpRequest, 'headers' | 'body'>> {
  const { 'content-encoding': encoding, 'content-length': _, ...headers } = request.headers
  const codec = /^application\/(json|proto)\b/i.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase()
  if (codec === undefined || !['gzip', 'identity', undefined].includes(encoding)) return request
  const maxBytes = isReport(path) ? maxReportExpanded : limits.open.readMaxBytes
  const bytes = encoding === 'gzip' ? await gunzipped(request.body, maxBytes) : request.body
  if (!bytes && isReport(path))
    throw new Problem(413, `a compressed message may expand to at most ${maxBytes} bytes`)
  return bytes ? { headers, body: boundedMessage(path, codec === 'proto', bytes) } : request
}

const handlers = new Map<string, UniversalHandler>(
  createConnectRouter({
    acceptCompression: [compressionGzip],
    // The library skips unknown fields, which newer runners may send.
    binaryOptions: { readUnknownFields: false },
    ...limits.runner,
  })
    .rpc(
      PingService.method.ping,
      ({ data }, { values }) => runCall(values.get(callKey), async () => ({ data: `Hello, ${data}!` })),
      limits.open,
    )
    .service(RunnerService, {
      declare: (request, { values, responseHeader }) => {
        responseHeader.set('X-Gitea-Actions-Capabilities', 'job-summary')
        return runRunnerCall(values.get(callKey), async (context) => ({
          runner: printRunner(await declare(context, request)),
        }))
      },
      fetchTask: (request, { values, signal }) =>
        runRunnerCall(values.get(callKey), async (context, call) => {
          await recordContact(context.sql, context.runner, context.now)
          const { task, tasksVersion } = await fetchTask(context, request.tasksVersion)
          if (!task) return { tasksVersion }
          // The runner no longer waits for the reply, so it would not receive the task.
          if (signal.aborted) {
            await returnTask(context, Number(task.id))
            throw new ConnectError('the runner no longer waits', Code.DeadlineExceeded)
          }
          call.task = Number(task.id)
          return { task, tasksVersion }
        }),
      updateTask: (request, { values }) =>
        runRunnerCall(values.get(callKey), async (context) => {
          await recordContact(context.sql, context.runner, context.now)
          const { id, result, sentOutputs } = await updateTask(context, request)
          return { state: { id, result }, sentOutputs }
        }),
      updateLog: (request, { values }) =>
        runRunnerCall(values.get(callKey), async (context) => {
          await recordContact(context.sql, context.runner, context.now)
          return { ackIndex: BigInt(await updateLog(context, request)) }
        }),
    })
    // Of two handlers for one path the later one wins.
    .rpc(
      RunnerService.method.register,
      (request, { values }) =>
        runCall(values.get(callKey), async ({ context }) => {
          const { runner, token } = await register(context, request)
          return { runner: { ...printRunner(runner), token } }
        }),
      limits.open,
    )
    .handlers.map((handler) => [handler.requestPath, handler]),
)

/** Runs a call that requires a runner. */
function runRunnerCall<Result>(
  call: Call | undefined,
  work: (context: RunnerContext, call: Call) => Promise<Result>,
): Promise<Result> {
  return runCall(call, (current) => {
    if (!('runner' in current.context)) throw new ConnectError(UNREGISTERED, Code.Unauthenticated)
    return work(current.context, current)
  })
}

async function runCall<Result>(
  call: Call | undefined,
  work: (call: Call) => Promise<Result>,
): Promise<Result> {
  if (!call) throw new ConnectError('internal error', Code.Internal)
  call.isDecoded = true
  try {
    return await work(call)
  } catch (error) {
    throw connectErrorFrom(error, call.context)
  }
}

/** Maps a failure to a ConnectError; details of internal errors go only to the log. */
function connectErrorFrom(error: unknown, { tools: { log } }: CallContext): ConnectError {
  if (error instanceof ConnectError) return error
  if (error instanceof SpentError) return new ConnectError(UNREGISTERED, Code.Unauthenticated)
  const problem = error instanceof Problem ? error : problemFromDatabaseError(error, {})
  if (problem) {
    log.debug(problem.message, { status: problem.status, error: problem.extra.log })
    return new ConnectError(problem.message, codeFromString(codeOf(problem.status)))
  }
  log.error('a runner call failed', { error: error instanceof Error ? error.stack : String(error) })
  return new ConnectError('internal error', Code.Internal)
}

function printRunner({ id, uuid, name, version, labels, ephemeral }: StoredRunner) {
  return { id: BigInt(id), uuid, name, version, labels, ephemeral }
}

function headersOf(incoming: IncomingHttpHeaders): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  return headers
}

async function* inOneChunk(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

async function readAll(body: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  if (body) for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}
