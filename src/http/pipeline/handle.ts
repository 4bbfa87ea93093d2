import { randomBytes } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'
import { beginFor } from '../../db/begin.ts'
import type { Secrets } from '../../db/encryption/secrets.ts'
import type { Begin, Sql } from '../../db/sql.ts'
import type { Log } from '../../log.ts'
import { problemOf } from '../database-errors.ts'
import type { DatabaseLimiter } from '../reads/database-limiter.ts'
import type { CoalescedReads } from '../reads/reads.ts'
import type { ApiProfile, Mounted } from '../route/api.ts'
import type { ApiRequest } from '../route/api-request.ts'
import { maxRepetitions } from '../route/confirmation.ts'
import { Outdated, Problem, tooManyRequests } from '../route/problem.ts'
import { readQuery } from '../route/query.ts'
import type { RouteFacts } from '../route/route.ts'
import { type Match, Router } from '../route/router.ts'
import { asksToContinue, headerOf, isHost, onlyHost } from '../server/header.ts'
import { Origin, type ServerAddress } from '../server/origin.ts'
import { type BodyLimits, readBody } from './body.ts'
import type { Exchange } from './exchange.ts'
import { fallback } from './fallback.ts'
import { runKeyed } from './keyed.ts'
import { boundaryIn } from './multipart.ts'
import type { NetworkRates } from './network-rates.ts'
import { packedPage } from './packed-page.ts'
import { type PreparedRead, replierOf } from './prepared.ts'
import { problemReply, type Reply, replyOf } from './reply.ts'
import { type CountRequest, loadReporter, personalReply, type ReportLoad, reportTo, send } from './send.ts'
import { serveStream } from './stream.ts'

/** What the pipeline depends on. */
interface PipelineDeps extends ServerAddress {
  /** Routes of all APIs. */
  routes: readonly Mounted[]
  /** First segments of paths that match no parameter. */
  reserved?: ReadonlySet<string>
  /** All APIs, the longest `base` first; the last one also answers for paths that belong to no API. */
  profiles: readonly [ApiProfile, ...ApiProfile[]]
  sql: Sql
  /** Encrypts the answers that are stored for an `Idempotency-Key`. */
  secrets: Secrets
  reads: CoalescedReads<Reply, Origin>
  begin: Begin
  clock: () => Date
  log: Log
  /** Absent where nobody reads the counts. */
  countRequest?: CountRequest | undefined
  limiter: DatabaseLimiter
  limits: BodyLimits
  /** Bounds the requests of each network; absent: there is no bound. */
  rates?: NetworkRates | undefined
}

/** Maximum number of request headers; more are never needed, and searching thousands of them is slow. */
const maxHeaders = 100
const tooManyHeaders = new Problem(431, `the request has more than ${maxHeaders} headers`)
const notOneHost = new Problem(400, 'an HTTP/1.1 request needs exactly one Host header')
const notAHost = new Problem(400, 'the Host header is not a host with an optional port')

/** Maximum number of URLs whose reads stay prepared. */
const maxPreparedReads = 1000

/** The pipeline: find → authorize → read → validate → run → send. Every failure ends in `refuse`. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the pipeline on one screen
export function createHandler(deps: PipelineDeps): RequestListener {
  const { limits } = deps
  const report = reportTo(deps.log, deps.countRequest)
  const reportLoad = loadReporter(deps.log)
  const router = new Router(deps.routes, deps.reserved)
  const preparedReads = new LRUCache<string, PreparedRead>({ max: maxPreparedReads })
  // A prepared read must not retain the request for which it was prepared.
  const anybody = new Origin(undefined, '', deps)

  async function answer(exchange: Exchange): Promise<Reply> {
    const { req, url, match, profile } = exchange
    if (!match) {
      const { method, headers } = req
      return fallback({ method, path: pathOf(url), headers, profile }, router)
    }
    const { route } = match.target
    const isOpen = isOpenRead(route, req)
    const from = isOpen ? anybody : exchange.from
    // An open access reads no headers; node would collect all of them.
    const headers = route.access.open ? {} : req.headers
    const { sql, clock } = deps
    const begin = isOpen ? deps.begin : beginFor(exchange.id, deps.begin)
    const { params } = match
    const head = { headers, url, params, query: readQuery(url), clock, now: clock(), sql, begin, from }
    const request = match.target.receive(head)
    await request.authorize()
    try {
      return await answerTo(exchange, match, request)
    } catch (error) {
      throw await request.explained(error)
    }
  }

  async function answerTo(exchange: Exchange, match: Match<Mounted>, request: ApiRequest): Promise<Reply> {
    const { req, url, profile } = exchange
    const { route } = match.target
    if (route.receivesForms && boundaryIn(headerOf(req, 'content-type') ?? '') !== undefined)
      return answerForm(exchange, request)
    const arriving = route.body && bodyOf(exchange, request, limits)
    const body = await arriving
    const act = async (request: ApiRequest) => {
      request.validate(body, profile.refuse, profile.refuseQuery)
      const key = route.creates ? headerOf(req, 'idempotency-key') : undefined
      if (key !== undefined) return runKeyed(exchange, request, { body, key }, deps)
      if (!route.isShareable) return runAlone(exchange, request)
      const replier = await replierOf(match.target, url, request, deps)
      if (request.context.from === anybody) preparedReads.set(url, { match, replier })
      return replier(exchange)
    }
    // A client may hold back its body while its rights are withdrawn.
    return repeated(act, arriving instanceof Promise ? await request.again() : request)
  }

  /** The answer to a form with files, which are there until it is made. */
  async function answerForm(exchange: Exchange, request: ApiRequest): Promise<Reply> {
    const { profile } = exchange
    const form = await request.receiveForm(exchange)
    try {
      const act = (authorized: ApiRequest) => {
        authorized.validate(form?.body, profile.refuse, profile.refuseQuery)
        return runAlone(exchange, authorized)
      }
      return await repeated(act, await request.again())
    } finally {
      await form?.release()
    }
  }

  /** Runs a handler for one request, within the limit on concurrent database work. */
  function runAlone({ url, profile, from }: Exchange, request: ApiRequest): Promise<Reply> {
    const act = async () => {
      const result = await request.run(deps.clock())
      return replyOf(request.route, profile, result, { root: deps.root, url })
    }
    return deps.limiter.run(act, from.network)
  }

  function serve(exchange: Exchange, prepared: PreparedRead | undefined): void {
    const onReply = (general: Reply): Promise<void> | undefined => {
      const reply = personalReply(exchange, general)
      if (reply.stream) return serveStream(exchange, reply, reply.stream, report)
      const packed = reply.isPage ? packedPage(exchange, reply) : reply
      if (packed instanceof Promise) return packed.then((made) => send(exchange, made, report))
      send(exchange, packed, report)
      return undefined
    }
    const onError = (error: unknown) =>
      send(exchange, personalReply(exchange, refuse(exchange, error, { log: deps.log, reportLoad })), report)
    try {
      refuseMalformed(exchange)
      refuseTooMany(exchange, deps)
      const reply = prepared ? prepared.replier(exchange) : answer(exchange)
      if (reply instanceof Promise) reply.then(onReply).catch(onError)
      else onReply(reply)?.catch(onError)
    } catch (error) {
      onError(error)
    }
  }

  return (req, res) => {
    const url = req.url ?? '/'
    const isRead = req.method === 'GET' || req.method === 'HEAD'
    const cached = isRead ? preparedReads.get(url) : undefined
    const prepared = cached && isOpenRead(cached.match.target.route, req) ? cached : undefined
    const match = prepared?.match ?? router.find(req.method ?? 'GET', pathOf(url))
    serve(arrive(req, res, match, deps), prepared)
  }
}

/** Whether all requests like this one for a URL may get the same answer: only its host and encodings matter. */
const isOpenRead = ({ isShareable, access }: RouteFacts, req: IncomingMessage) =>
  isShareable && access.isAnonymous(req)

/**
 * The reply of `act`; if what the access check found changes meanwhile, the request is authorized and run again. A
 * stream cannot run again, since its body is read: it repeats its change itself (`confirmed`), or fails, with the refusal if
 * the caller's rights are gone.
 */
async function repeated(act: (request: ApiRequest) => Promise<Reply>, first: ApiRequest): Promise<Reply> {
  let request = first
  for (let repetitions = 0; ; repetitions++) {
    try {
      const current = request
      const reply = await act(current)
      const { stream } = reply
      if (!stream) return reply
      const refuse = async (error: unknown) => {
        if (error instanceof Outdated) await current.again()
        throw error
      }
      return { ...reply, stream: (...exchange) => stream(...exchange).catch(refuse) }
    } catch (error) {
      if (!(error instanceof Outdated) || repetitions === maxRepetitions) throw error
      request = await request.again()
    }
  }
}

/**
 * A client that expects `100 Continue` gets it only after authorization and the size check. Other expectations are
 * ignored, as RFC 9110, section 10.1.1, allows.
 */
function bodyOf(
  { req, res, profile }: Exchange,
  { route, context: { from, query } }: ApiRequest,
  limits: BodyLimits,
): unknown {
  const { milliseconds } = limits
  const bytes = readBody(req, {
    limits: { bytes: route.largestBody ?? limits.bytes, milliseconds, packed: route.packed },
    from,
    invite: () => asksToContinue(req) && res.writeContinue(),
  })
  const about = { contentType: headerOf(req, 'content-type'), route, query }
  return bytes instanceof Promise
    ? bytes.then((whole) => profile.readBody(whole, about))
    : profile.readBody(bytes, about)
}

/** @throws Problem 431 too many headers; 400 not exactly one valid Host; the error of the API for broken percent-encoding */
function refuseMalformed({ req, url, profile }: Exchange): void {
  if (req.rawHeaders.length > 2 * maxHeaders) throw tooManyHeaders
  const host = onlyHost(req)
  if (host === undefined) throw notOneHost
  // Links begin with it. An empty one is allowed (RFC 9110, section 7.2), and links then begin with `root`.
  if (host !== '' && !isHost(host)) throw notAHost
  if (!profile.brokenPath || !url.includes('%')) return
  try {
    decodeURIComponent(pathOf(url))
  } catch {
    throw profile.brokenPath()
  }
}

/** @throws Problem 429 more requests of this network than `RATE_LIMIT_ADDRESS` allows */
function refuseTooMany({ from }: Exchange, { rates, clock }: PipelineDeps): void {
  const seconds = rates?.secondsToWait(from, clock()) ?? 0
  if (seconds > 0) throw tooManyRequests('too many requests, try again later', seconds)
}

function pathOf(url: string): string {
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  return path.includes('//') ? path.replace(/\/{2,}/g, '/') : path
}

function arrive(
  req: IncomingMessage,
  res: ServerResponse,
  match: Match<Mounted> | undefined,
  deps: PipelineDeps,
): Exchange {
  const url = req.url ?? '/'
  const profile = match?.target.profile ?? profileOf(pathOf(url), deps.profiles)
  const id = requestId(headerOf(req, 'x-request-id'))
  const from = new Origin(req, id, deps, res)
  return { req, res, from, id, arrived: performance.now(), url, profile, match }
}

/** The request id: the caller's if it is a single word that is safe in a log line, otherwise a new one. */
function requestId(header: string | undefined): string {
  if (header !== undefined && /^[\w.:+/=@-]{1,128}$/.test(header)) return header
  lastRequest++
  return `${processName}-${lastRequest.toString(36)}`
}

/** Generated request ids are unique across processes: a random prefix per process, and a counter. */
const processName = randomBytes(6).toString('base64url')
let lastRequest = 0

function profileOf(path: string, profiles: PipelineDeps['profiles']): ApiProfile {
  const profile = profiles.find(({ base }) => path === base || path.startsWith(`${base}/`))
  return profile ?? profiles[profiles.length - 1] ?? profiles[0]
}

/** The only place that turns errors into answers and logs them. */
function refuse(
  { req, from, id, match, profile }: Exchange,
  error: unknown,
  { log, reportLoad }: { log: Log; reportLoad: ReportLoad },
): Reply {
  const route = match?.target.route
  const problem = problemOf(error, route?.conflicts)
  if (problem.extra.log !== undefined) {
    const [method, path] = [req.method, match?.target.path ?? null]
    const fields = { id, method, route: path, status: problem.status, error: problem.extra.log }
    if (problem.extra.isLoad) reportLoad(problem.message, fields)
    else if (problem.status >= 500) log.error(problem.message, fields)
    else log.debug(problem.message, fields)
  }
  const wantsPage = profile.errorPage && headerOf(req, 'accept')?.includes('text/html')
  return problemReply(profile, problem, wantsPage ? { host: from.host, headers: req.headers } : undefined)
}
