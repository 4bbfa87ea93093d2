import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { asksToContinue } from '../../http/server/header.ts'
import { type Git, gitFor } from '../program/git.ts'
import type { RefUpdate } from '../repository/move-refs.ts'
import { openBody } from './body.ts'
import { Call, type ExchangeResult } from './call.ts'
import { type CapabilityCache, createCapabilityCache } from './capability-cache.ts'
import type { Exchange, PushRules, Service } from './exchange.ts'
import { readFetchRequest } from './head.ts'
import { flush, packet } from './pkt-line.ts'
import { push } from './push.ts'
import { maxCommandBytes, printable } from './push-request.ts'
import { relay, uncached } from './relay.ts'
import { SharedFetches } from './shared-fetches.ts'
import { withoutRefs } from './without-refs.ts'

/** The service named in a query or path; undefined for any other, and for the dumb protocol, which names none. */
export function serviceOf(name: string | undefined): Service | undefined {
  return name === 'git-upload-pack' || name === 'git-receive-pack' ? name : undefined
}

export type { ExchangeResult, PushRules, RefUpdate }

/** Limits in bytes and milliseconds. */
export interface HttpLimits {
  /** The decompressed body of a fetch: what the client has and wants. */
  fetch: number
  /** The pack of a push. */
  push: number
  /** Over which time it is measured whether a client is too slow to be served (`slow-client.ts`). */
  silence: number
  /**
   * Maximum time until git starts and has read the request, except for the pack of a push: after that the rights of the
   * client, which were checked when the request arrived, may be outdated.
   */
  start: number
  /** Maximum size of a repository on disk whose identical fetches share one run of git, through a file on the disk. */
  shared: number
}

const httpLimits: HttpLimits = {
  fetch: 32 * 1024 * 1024,
  push: 4 * 1024 ** 3,
  silence: 60_000,
  start: 120_000,
  shared: 128 * 1024 * 1024,
}

/** Git over HTTP on node's streams; it has no notion of users or permissions. */
export interface GitHttp {
  /** `GET /info/refs?service=…`. */
  advertise: (exchange: Exchange) => Promise<ExchangeResult>
  /** `POST /git-upload-pack` and `POST /git-receive-pack`. */
  serve: (exchange: Exchange, rules?: PushRules) => Promise<ExchangeResult>
}

export function createGitHttp(git: Git, changes: Partial<HttpLimits> = {}): GitHttp {
  const limits = { ...httpLimits, ...changes }
  const shared = { fetches: new SharedFetches(limits.shared), cache: createCapabilityCache(), limits }
  const depsOf = ({ requestId: id, keys = [] }: Exchange) => {
    return { ...shared, git: id === undefined ? git : gitFor({ id, keys }, git) }
  }
  return {
    advertise: (exchange) => advertise(depsOf(exchange), exchange),
    serve: (exchange, rules = {}) => serve(depsOf(exchange), exchange, rules),
  }
}

async function advertise({ git, cache, limits }: HttpDeps, exchange: Exchange): Promise<ExchangeResult> {
  const { service, repository, req, res } = exchange
  const version = protocolOf(req, service)
  const call = new Call({ ...exchange, ...limits, persists: service === 'git-receive-pack' })
  const contentType = `application/x-${service}-advertisement`
  const cached = version.isSecond
    ? await cache.find(repository, version.environment.GIT_PROTOCOL ?? '')
    : undefined
  if (cached?.advertisement) return call.answer(cached.advertisement, contentType)
  // Without `--stateless-rpc`, clients may expect that git takes turns with them.
  const stateless = exchange.overSsh ? [] : ['--stateless-rpc']
  const args = [commandOf(service), ...stateless, '--http-backend-info-refs', '.']
  const streaming = git.stream(repository, args, {
    signal: call.signal,
    environment: version.environment,
    kind: 'refs',
    beforeGit: exchange.beforeGit,
  })
  const opened = await streaming.catch(abandoning(call))
  if (!opened.ok) return call.fail(opened.fault)
  call.gitStarted(opened.value)
  // Version 2 starts with its own line instead (gitprotocol-v2(5), "HTTP Transport").
  const head =
    version.isSecond || exchange.overSsh ? noBytes : Buffer.concat([packet(`# service=${service}\n`), flush])
  const advertisement: Buffer[] = []
  const tap = cached && { tap: (chunk: Buffer) => void advertisement.push(chunk) }
  const ended = await relay({ running: opened.value, res, contentType, head, ...tap })
  if (ended.ok) cached?.remember(Buffer.concat(advertisement))
  return call.finish(ended.fault)
}

/** The caller answers an exchange that rejects. */
const abandoning = (call: Call) => (error: unknown) => {
  call.abandon()
  throw error
}

const noBytes = Buffer.alloc(0)

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
  const call = new Call({ ...exchange, ...limits, persists: service === 'git-receive-pack' })
  const isConversation = exchange.overSsh && req.headers['content-type'] === conversationType
  if (!isConversation && req.headers['content-type'] !== `application/x-${service}-request`) {
    return call.refuse({ status: 415, sentence: `the body must be application/x-${service}-request` })
  }
  const maxBytes = service === 'git-upload-pack' ? limits.fetch : limits.push + maxCommandBytes
  const body = openBody(req, maxBytes, (fault) => call.interrupt(fault))
  if ('status' in body) return call.refuse(body)
  if (asksToContinue(req)) res.writeContinue()
  call.expectBody(body)
  const fetching = () =>
    isConversation ? converse(git, exchange, call, body) : fetch(git, fetches, exchange, call, body)
  // One of the push rules or `beforeGit` may throw.
  const served =
    service === 'git-upload-pack'
      ? fetching()
      : push(git, { exchange, call, body, rules, maxBytes: limits.push })
  return served.catch(abandoning(call))
}

/** The media type of a conversation, which only `ssh` has. */
const conversationType = 'application/x-git-upload-pack-conversation'

/** A fetch in version 0 or 1 (gitprotocol-pack(5)): git and the client take turns. The client has the refs already. */
async function converse(git: Git, exchange: Exchange, call: Call, body: Readable): Promise<ExchangeResult> {
  const { service, repository, req, res, beforeGit } = exchange
  const { environment } = protocolOf(req, service)
  const options = { signal: call.signal, environment, beforeGit }
  const opened = await git.stream(repository, ['upload-pack', '--strict', '.'], options)
  if (!opened.ok) return call.fail(opened.fault)
  call.gitStarted(opened.value, body)
  const running = withoutRefs(opened.value)
  const ended = await relay({ running, body, res, contentType: `application/x-${service}-result` })
  return call.finish(ended.fault)
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
  if (whole) call.requestRead()
  const subscriber =
    whole && fetches.join(keyOf(exchange, environment, whole), asksForRefs ? undefined : repository, git.home)
  try {
    const opened = await git.stream(repository, args, {
      signal: call.signal,
      environment,
      kind: asksForRefs ? 'refs' : 'long',
      beforeGit: exchange.beforeGit,
      ...(subscriber && { serve: subscriber.serve }),
    })
    if (!opened.ok) return call.fail(opened.fault)
    call.gitStarted(opened.value, whole ? undefined : body)
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

const commandOf = (service: Service) => service.slice('git-'.length)

/**
 * `Git-Protocol` is passed to git only if it is a well-formed key=value list (gitprotocol-v2(5)), and only for fetches:
 * there is no version 2 of push.
 */
function protocolOf(
  req: IncomingMessage,
  service: Service,
): { environment: Record<string, string>; isSecond: boolean } {
  const header = req.headers['git-protocol']
  const isSafe =
    typeof header === 'string' &&
    header.length <= 200 &&
    /^[\w-]+(=[\w.-]+)?(:[\w-]+(=[\w.-]+)?)*$/.test(header)
  if (!isSafe || service !== 'git-upload-pack') return { environment: {}, isSecond: false }
  return { environment: { GIT_PROTOCOL: header }, isSecond: header.split(':').includes('version=2') }
}

/**
 * Refuses a service at `info/refs` in the format of the protocol: git ends with `fatal: remote error: …` and does not
 * ask for a password.
 */
export function refuseService(res: ServerResponse, service: Service, sentence: string): void {
  res.writeHead(200, { ...uncached, 'Content-Type': `application/x-${service}-advertisement` })
  res.end(Buffer.concat([packet(`# service=${service}\n`), flush, packet(`ERR ${printable(sentence)}\n`)]))
}
