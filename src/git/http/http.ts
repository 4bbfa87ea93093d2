import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { type Git, gitFor } from '../program/git.ts'
import { done, fault } from '../program/outcome.ts'
import { appliedUpdates } from './applied-updates.ts'
import { openBody } from './body.ts'
import { type Call, createCall, type ExchangeResult } from './call.ts'
import { type CapabilityCache, createCapabilityCache } from './capability-cache.ts'
import { readFetchRequest } from './head.ts'
import { flush, packet } from './pkt-line.ts'
import { createReportReader, refusal } from './push-report.ts'
import {
  isHiddenRef,
  maxCommandBytes,
  type PushRequest,
  printable,
  type RefUpdate,
  readPushRequest,
  refusePush,
} from './push-request.ts'
import { relay, uncached } from './relay.ts'
import { createSharedFetches, type SharedFetches } from './shared-fetches.ts'

/** The two services of the smart protocol (gitprotocol-http(5)). */
type Service = 'git-upload-pack' | 'git-receive-pack'

/** The service named in a query or path; undefined for any other, and for the dumb protocol, which names none. */
export function serviceOf(name: string | undefined): Service | undefined {
  return name === 'git-upload-pack' || name === 'git-receive-pack' ? name : undefined
}

export type { ExchangeResult, RefUpdate }

/** The request of a client for a service of a repository. */
interface Exchange {
  service: Service
  /** Absolute path, from `Repositories.path`. */
  repository: string
  req: IncomingMessage
  res: ServerResponse
  /** `X-Request-Id`, for the environment of git; a run that several fetches share has that of the first. */
  requestId?: string
  /** Aborts the exchange, as if the client had disconnected. */
  signal?: AbortSignal
}

/** The caller's hooks for a push. */
export interface PushRules {
  /** Called before git runs; a returned sentence refuses the whole push, and the client prints it as `remote: …`. */
  check?: (updates: readonly RefUpdate[]) => string | undefined | Promise<string | undefined>
  /**
   * Called once with the updates that were carried out; the response ends only after it resolves. The push stands
   * whatever this does; if it rejects, so does `serve`. `isReported`: git has reported the updates; otherwise they
   * follow from the current refs.
   */
  updated?: (updates: readonly RefUpdate[], isReported: boolean) => void | Promise<void>
  /**
   * Called instead if `check` allowed the push and no ref was changed. Neither is called if the outcome is unknown: git
   * ended without a report, as it does when the server stops, and the refs cannot be read.
   */
  untouched?: () => void | Promise<void>
}

/** Limits in bytes, and for the silence of a client in milliseconds. */
export interface HttpLimits {
  /** The decompressed body of a fetch: what the client has and wants. */
  fetch: number
  /** The pack of a push. */
  push: number
  /** Maximum time for which a client neither sends what is expected nor reads what is written. */
  silence: number
  /** Maximum size of a repository on disk whose identical fetches share one run of git, through a file on the disk. */
  shared: number
}

export const httpLimits: HttpLimits = {
  fetch: 32 * 1024 * 1024,
  push: 4 * 1024 ** 3,
  silence: 60_000,
  shared: 128 * 1024 * 1024,
}

/** Git over HTTP on node's streams; it has no notion of users or permissions. */
export interface GitHttp {
  /** `GET /info/refs?service=…`. */
  advertise: (exchange: Exchange) => Promise<ExchangeResult>
  /** `POST /git-upload-pack` and `POST /git-receive-pack`. */
  serve: (exchange: Exchange, rules?: PushRules) => Promise<ExchangeResult>
}

export function createGitHttp(git: Git, limits: HttpLimits = httpLimits): GitHttp {
  const shared = { fetches: createSharedFetches(limits.shared), cache: createCapabilityCache(), limits }
  const depsOf = ({ requestId }: Exchange) => {
    return { ...shared, git: requestId === undefined ? git : gitFor(requestId, git) }
  }
  return {
    advertise: (exchange) => advertise(depsOf(exchange), exchange),
    serve: (exchange, rules = {}) => serve(depsOf(exchange), exchange, rules),
  }
}

async function advertise({ git, cache, limits }: HttpDeps, exchange: Exchange): Promise<ExchangeResult> {
  const { service, repository, req, res } = exchange
  const version = protocolOf(req, service)
  const call = createCall({ ...exchange, silence: limits.silence, persists: service === 'git-receive-pack' })
  const contentType = `application/x-${service}-advertisement`
  const cached = version.isSecond
    ? await cache.find(repository, version.environment.GIT_PROTOCOL ?? '')
    : undefined
  if (cached?.advertisement) return call.answer(cached.advertisement, contentType)
  const args = [commandOf(service), '--stateless-rpc', '--http-backend-info-refs', '.']
  const opened = await git.stream(repository, args, {
    signal: call.signal,
    environment: version.environment,
    light: true,
  })
  if (!opened.ok) return call.fail(opened.fault)
  // Version 2 starts with its own line instead (gitprotocol-v2(5), "HTTP Transport").
  const head = version.isSecond ? noBytes : Buffer.concat([packet(`# service=${service}\n`), flush])
  const advertisement: Buffer[] = []
  const tap = cached && { tap: (chunk: Buffer) => void advertisement.push(chunk) }
  const ended = await relay({ running: opened.value, res, contentType, head, ...tap })
  if (ended.ok) cached?.remember(Buffer.concat(advertisement))
  return call.finish(ended.fault)
}

const noBytes = Buffer.alloc(0)

/** What requests are served with. */
interface HttpDeps {
  git: Git
  fetches: SharedFetches
  cache: CapabilityCache
  limits: HttpLimits
}

async function serve(
  { git, fetches, limits }: HttpDeps,
  exchange: Exchange,
  rules: PushRules,
): Promise<ExchangeResult> {
  const { service, req, res } = exchange
  const call = createCall({ ...exchange, silence: limits.silence, persists: service === 'git-receive-pack' })
  if (req.headers['content-type'] !== `application/x-${service}-request`) {
    return call.refuse({ status: 415, sentence: `the body must be application/x-${service}-request` })
  }
  const maxBytes = service === 'git-upload-pack' ? limits.fetch : limits.push + maxCommandBytes
  const body = openBody(req, maxBytes, call.interrupt)
  if ('status' in body) return call.refuse(body)
  if (asksToContinue(req)) res.writeContinue()
  call.expectBody(body)
  try {
    return service === 'git-upload-pack'
      ? await fetch(git, fetches, exchange, call, body)
      : await push(git, { exchange, call, body, rules, maxBytes: limits.push })
  } catch (error) {
    // One of the push rules has thrown.
    call.abandon()
    throw error
  }
}

async function fetch(
  git: Git,
  fetches: SharedFetches,
  exchange: Exchange,
  call: Call,
  body: Readable,
): Promise<ExchangeResult> {
  const { service, repository, req, res } = exchange
  const { environment } = protocolOf(req, service)
  const args = ['upload-pack', '--stateless-rpc', '--strict', '.']
  const { whole, asksForRefs } = await readFetchRequest(body)
  const subscriber =
    whole && fetches.join(keyOf(exchange, environment, whole), asksForRefs ? undefined : repository, git.home)
  try {
    const opened = await git.stream(repository, args, {
      signal: call.signal,
      environment,
      light: asksForRefs,
      ...(subscriber && { launch: subscriber.launch }),
    })
    if (!opened.ok) return call.fail(opened.fault)
    call.gitStarted(opened.value)
    const contentType = `application/x-${service}-result`
    const ended = await relay({ running: opened.value, body: whole ?? body, res, contentType })
    return call.finish(ended.fault)
  } finally {
    subscriber?.leave()
  }
}

/** Equal for all requests to which git gives the same answer. */
function keyOf(
  { repository }: Exchange,
  environment: Readonly<Record<string, string>>,
  request: Buffer,
): string {
  return createHash('sha256')
    .update(JSON.stringify([repository, environment]))
    .update(request)
    .digest('base64')
}

interface PushCall {
  exchange: Exchange
  call: Call
  body: Readable
  rules: PushRules
  maxBytes: number
}

async function push(git: Git, pushing: PushCall): Promise<ExchangeResult> {
  const { call, body, rules } = pushing
  const request = await readPushRequest(body)
  if (!request && call.signal.aborted) return call.fail(fault('cancelled', 'the push did not begin').fault)
  if (!request) return call.refuse({ status: 400, sentence: 'this is no list of refs to push' })
  // A client sends this first to find out whether it must authenticate.
  if (request.updates.length === 0) return call.answer(Buffer.alloc(0), resultType)
  const updates = request.updates.filter(({ ref }) => !isHiddenRef(ref))
  const sentence = refusePush(request) ?? (await rules.check?.(updates))
  return sentence === undefined
    ? receive(git, pushing, { ...request, updates })
    : call.answer(refusal(request, sentence), resultType)
}

async function receive(git: Git, { exchange, call, body, rules, maxBytes }: PushCall, request: PushRequest) {
  const { repository, req, res } = exchange
  const settings = [`receive.maxInputSize=${maxBytes}`, `receive.unpackLimit=${unpackLimit(req)}`]
  const args = [...settings.flatMap((setting) => ['-c', setting]), 'receive-pack', '--stateless-rpc', '.']
  const opened = await git.stream(repository, args, { signal: call.signal, environment: limitedMemory })
  if (!opened.ok) {
    await rules.untouched?.()
    return call.fail(opened.fault)
  }
  call.gitStarted(opened.value)
  const report = createReportReader(request)
  const ended = await relay({ running: opened.value, body, res, contentType: resultType, tap: report.read })
  const reported = report.updated()
  const updates = reported
    ? done(reported)
    : await appliedUpdates({ git, directory: repository }, request.updates)
  const isReported = reported !== undefined
  if (updates.ok)
    await (updates.value.length > 0 ? rules.updated?.(updates.value, isReported) : rules.untouched?.())
  return call.finish(ended.fault)
}

/**
 * Number of objects below which git unpacks a push into loose files. A large push is kept as the pack that arrived,
 * regardless of the number of objects: packing large objects again for each clone takes several times as long as
 * sending them packed. Git clients send no length for more than a megabyte (`http.postBuffer`).
 */
const unpackLimit = ({ headers }: IncomingMessage): number =>
  Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) > 1_000_000 ? 1 : 100

/**
 * Maximum size of a single memory allocation of git during a push. Seven bytes of a delta expand to 16 MB, so a pack of
 * some kilobytes could fill the memory of any machine. Standard clients send no deltas of files larger than 512 MiB
 * (`core.bigFileThreshold`), and git streams whole files.
 */
const limitedMemory = { GIT_ALLOC_LIMIT: '1g' }

/** RFC 9110, section 10.1.1. */
const asksToContinue = ({ headers, httpVersion }: IncomingMessage) =>
  headers.expect?.toLowerCase() === '100-continue' && httpVersion !== '1.0'

const resultType = 'application/x-git-receive-pack-result'

const commandOf = (service: Service) => service.slice('git-'.length)

/**
 * `Git-Protocol` is passed to git only if it is a well-formed key=value list (gitprotocol-v2(5)), and only for fetches:
 * there is no version 2 of push.
 */
function protocolOf(
  req: IncomingMessage,
  service: Service,
): { environment: Record<string, string>; isSecond: boolean } {
  const given = req.headers['git-protocol']
  const isSafe =
    typeof given === 'string' && given.length <= 200 && /^[\w-]+(=[\w.-]+)?(:[\w-]+(=[\w.-]+)?)*$/.test(given)
  if (!isSafe || service !== 'git-upload-pack') return { environment: {}, isSecond: false }
  return { environment: { GIT_PROTOCOL: given }, isSecond: given.split(':').includes('version=2') }
}

/**
 * Refuses a service at `info/refs` in the format of the protocol: git ends with `fatal: remote error: …` and does not
 * ask for a password.
 */
export function refuseService(res: ServerResponse, service: Service, sentence: string): void {
  res.writeHead(200, { ...uncached, 'Content-Type': `application/x-${service}-advertisement` })
  res.end(Buffer.concat([packet(`# service=${service}\n`), flush, packet(`ERR ${printable(sentence)}\n`)]))
}
