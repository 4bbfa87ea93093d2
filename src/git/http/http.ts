import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { Git } from '../program/git.ts'
import { done, fault } from '../program/outcome.ts'
import { openBody } from './body.ts'
import { type Call, createCall, type ExchangeResult } from './call.ts'
import { type Crowds, createCrowds } from './crowd.ts'
import { createGreetings, type Greetings } from './greeting.ts'
import { readFetchRequest } from './head.ts'
import { movedUpdates } from './moved.ts'
import { flush, packet } from './pkt-line.ts'
import { createReportReader, refusal } from './push-report.ts'
import {
  commandBytes,
  isHiddenRef,
  type PushRequest,
  printable,
  type RefUpdate,
  readPushRequest,
  refusePush,
} from './push-request.ts'
import { relay, uncached } from './relay.ts'

/** The two services of the smart protocol (gitprotocol-http(5)). */
export type Service = 'git-upload-pack' | 'git-receive-pack'

/** The service that a query or a path names; undefined for any other, and for the dumb protocol, which names none. */
export function serviceOf(name: string | undefined): Service | undefined {
  return name === 'git-upload-pack' || name === 'git-receive-pack' ? name : undefined
}

export type { ExchangeResult, RefUpdate }

/** Which repository is served by which service, and to whom. */
export interface Exchange {
  service: Service
  /** Absolute path, from `Repositories.path`. */
  repository: string
  req: IncomingMessage
  res: ServerResponse
  /** Ends it early, as a client that leaves does. */
  signal?: AbortSignal
}

/** What the caller has to say to a push. */
export interface PushRules {
  /** Looks at what is asked before git does; a sentence refuses all of it, and the client prints it as `remote: …`. */
  check?: (updates: readonly RefUpdate[]) => string | undefined | Promise<string | undefined>
  /**
   * Told what was done, once, before the client is: when it resolves the answer ends. The push stands whatever this
   * does; when it rejects, `serve` does. `isSaid`: git has said so; otherwise the refs are where it was to bring them.
   */
  updated?: (updates: readonly RefUpdate[], isSaid: boolean) => void | Promise<void>
  /**
   * Told instead when `check` let a push pass and no ref was moved. Neither of the two is called when nobody can say
   * which refs were: git ended without a word, as it does with the server, and they cannot be read.
   */
  untouched?: () => void | Promise<void>
}

/** Bounds in bytes, and of a client's silence in milliseconds. */
export interface HttpLimits {
  /** The body of a fetch, unpacked: what the client has and wants. */
  fetch: number
  /** The pack of a push. */
  push: number
  /** How long a client may neither send what is waited for nor take what is written. */
  silence: number
  /** Largest repository, on the disk, whose identical fetches share a run of git: its output lies on the disk meanwhile. */
  shared: number
}

export const httpLimits: HttpLimits = {
  fetch: 32 * 1024 * 1024,
  push: 4 * 1024 ** 3,
  silence: 60_000,
  shared: 128 * 1024 * 1024,
}

/** Git over HTTP on the streams of node; knows no user and no permission. */
export interface GitHttp {
  /** `GET /info/refs?service=…`. */
  advertise: (exchange: Exchange) => Promise<ExchangeResult>
  /** `POST /git-upload-pack` and `POST /git-receive-pack`. */
  serve: (exchange: Exchange, rules?: PushRules) => Promise<ExchangeResult>
}

export function createGitHttp(git: Git, limits: HttpLimits = httpLimits): GitHttp {
  const desk = { git, crowds: createCrowds(limits.shared), greetings: createGreetings(), limits }
  return {
    advertise: (exchange) => advertise(desk, exchange),
    serve: (exchange, rules = {}) => serve(desk, exchange, rules),
  }
}

async function advertise(
  { git, greetings, limits }: CommandContext,
  exchange: Exchange,
): Promise<ExchangeResult> {
  const { service, repository, req, res } = exchange
  const version = protocolOf(req, service)
  const call = createCall({ ...exchange, silence: limits.silence, goesOn: service === 'git-receive-pack' })
  const contentType = `application/x-${service}-advertisement`
  const known = version.isSecond
    ? await greetings.find(repository, version.environment.GIT_PROTOCOL ?? '')
    : undefined
  if (known?.greeting) return call.answer(known.greeting, contentType)
  const args = [commandOf(service), '--stateless-rpc', '--http-backend-info-refs', '.']
  const opened = await git.stream(repository, args, {
    signal: call.signal,
    environment: version.environment,
    light: true,
  })
  if (!opened.ok) return call.fail(opened.fault)
  // Version 2 begins with its own line instead (gitprotocol-v2(5), "HTTP Transport").
  const head = version.isSecond ? none : Buffer.concat([packet(`# service=${service}\n`), flush])
  const said: Buffer[] = []
  const tap = known && { tap: (chunk: Buffer) => void said.push(chunk) }
  const ended = await relay({ running: opened.value, res, contentType, head, ...tap })
  if (ended.ok) known?.remember(Buffer.concat(said))
  return call.finish(ended.fault)
}

const none = Buffer.alloc(0)

/** What requests are served with. */
interface CommandContext {
  git: Git
  crowds: Crowds
  greetings: Greetings
  limits: HttpLimits
}

async function serve(
  { git, crowds, limits }: CommandContext,
  exchange: Exchange,
  rules: PushRules,
): Promise<ExchangeResult> {
  const { service, req, res } = exchange
  const call = createCall({ ...exchange, silence: limits.silence, goesOn: service === 'git-receive-pack' })
  if (req.headers['content-type'] !== `application/x-${service}-request`) {
    return call.refuse({ status: 415, sentence: `the body must be application/x-${service}-request` })
  }
  const most = service === 'git-upload-pack' ? limits.fetch : limits.push + commandBytes
  const body = openBody(req, most, call.interrupt)
  if ('status' in body) return call.refuse(body)
  if (asksToContinue(req)) res.writeContinue()
  call.reads(body)
  try {
    return service === 'git-upload-pack'
      ? await fetch(git, crowds, exchange, call, body)
      : await push(git, { exchange, call, body, rules, most: limits.push })
  } catch (error) {
    // The rules have failed.
    call.abandon()
    throw error
  }
}

async function fetch(
  git: Git,
  crowds: Crowds,
  exchange: Exchange,
  call: Call,
  body: Readable,
): Promise<ExchangeResult> {
  const { service, repository, req, res } = exchange
  const { environment } = protocolOf(req, service)
  const args = ['upload-pack', '--stateless-rpc', '--strict', '.']
  const { whole, asksForRefs } = await readFetchRequest(body)
  const member =
    whole && crowds.join(keyOf(exchange, environment, whole), asksForRefs ? undefined : repository, git.home)
  try {
    const opened = await git.stream(repository, args, {
      ...{ signal: call.signal, environment, light: asksForRefs },
      ...(member && { launch: member.launch }),
    })
    if (!opened.ok) return call.fail(opened.fault)
    call.works(opened.value)
    const contentType = `application/x-${service}-result`
    const ended = await relay({ running: opened.value, body: whole ?? body, res, contentType })
    return call.finish(ended.fault)
  } finally {
    member?.leave()
  }
}

/** The same for all that get the same from git. */
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

interface Pushing {
  exchange: Exchange
  call: Call
  body: Readable
  rules: PushRules
  most: number
}

async function push(git: Git, pushing: Pushing): Promise<ExchangeResult> {
  const { call, body, rules } = pushing
  const request = await readPushRequest(body)
  if (!request && call.signal.aborted) return call.fail(fault('cancelled', 'the push did not begin').fault)
  if (!request) return call.refuse({ status: 400, sentence: 'this is no list of refs to push' })
  // What a client sends first to find out whether it has to sign in.
  if (request.updates.length === 0) return call.answer(Buffer.alloc(0), pushed)
  const updates = request.updates.filter(({ ref }) => !isHiddenRef(ref))
  const sentence = refusePush(request) ?? (await rules.check?.(updates))
  return sentence === undefined
    ? receive(git, pushing, { ...request, updates })
    : call.answer(refusal(request, sentence), pushed)
}

async function receive(git: Git, { exchange, call, body, rules, most }: Pushing, request: PushRequest) {
  const { repository, req, res } = exchange
  const settings = [`receive.maxInputSize=${most}`, `receive.unpackLimit=${unpackedBelow(req)}`]
  const args = [...settings.flatMap((setting) => ['-c', setting]), 'receive-pack', '--stateless-rpc', '.']
  const opened = await git.stream(repository, args, { signal: call.signal, environment: modest })
  if (!opened.ok) {
    await rules.untouched?.()
    return call.fail(opened.fault)
  }
  call.works(opened.value)
  const report = createReportReader(request)
  const ended = await relay({ running: opened.value, body, res, contentType: pushed, tap: report.read })
  const said = report.updated()
  const updates = said ? done(said) : await movedUpdates(git, repository, request.updates)
  const isSaid = said !== undefined
  if (updates.ok)
    await (updates.value.length > 0 ? rules.updated?.(updates.value, isSaid) : rules.untouched?.())
  return call.finish(ended.fault)
}

/**
 * Objects below which git unpacks a push into files. A large one stays the pack that it came as, however few objects it
 * has: packing large objects again for each clone takes several times as long as sending what is packed. Git says no
 * length for what is larger than a megabyte (`http.postBuffer`).
 */
const unpackedBelow = ({ headers }: IncomingMessage): number =>
  Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) > 1_000_000 ? 1 : 100

/**
 * The largest piece of memory that git takes for a push. Seven bytes of a delta make 16 MB, so that a pack of some
 * kilobytes could fill the memory of any machine. Stock clients send no deltas of what is larger than 512 MiB
 * (`core.bigFileThreshold`), and whole files git streams.
 */
const modest = { GIT_ALLOC_LIMIT: '1g' }

/** RFC 9110, section 10.1.1. */
const asksToContinue = ({ headers, httpVersion }: IncomingMessage) =>
  headers.expect?.toLowerCase() === '100-continue' && httpVersion !== '1.0'

const pushed = 'application/x-git-receive-pack-result'

const commandOf = (service: Service) => service.slice('git-'.length)

/**
 * `Git-Protocol` reaches git only as the key=value list that it is (gitprotocol-v2(5)), and only for fetches: pushing
 * knows no version 2.
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
 * Refuses a service at `info/refs` in the protocol's own way: git ends with `fatal: remote error: …`, and asks for no
 * password.
 */
export function refuseService(res: ServerResponse, service: Service, sentence: string): void {
  res.writeHead(200, { ...uncached, 'Content-Type': `application/x-${service}-advertisement` })
  res.end(Buffer.concat([packet(`# service=${service}\n`), flush, packet(`ERR ${printable(sentence)}\n`)]))
}
