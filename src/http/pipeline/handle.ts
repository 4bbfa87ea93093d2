import { randomBytes } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Begin, Sql } from '../../db/sql.ts'
import { stackOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { problemFromDatabaseError } from '../database-errors.ts'
import type { Limiter } from '../reads/limiter.ts'
import type { CoalescedReads } from '../reads/reads.ts'
import type { ApiProfile, Mounted } from '../route/api.ts'
import { Problem } from '../route/problem.ts'
import { readQuery } from '../route/query.ts'
import type { Prepared, RequestHead, RouteFacts } from '../route/route.ts'
import { Router } from '../route/router.ts'
import { asksToContinue, headerOf } from '../server/header.ts'
import { Origin, type ServerAddress } from '../server/origin.ts'
import { type BodyLimits, readBody } from './body.ts'
import type { Exchange } from './exchange.ts'
import { fallback } from './fallback.ts'
import { isPaged, problemReply, type Reply, replyOf } from './reply.ts'
import { send } from './send.ts'
import { serveStream } from './stream.ts'

/** What the pipeline depends on. */
export interface PipelineDeps extends ServerAddress {
  /** Routes of all APIs. */
  routes: readonly Mounted[]
  /** All APIs, the longest `base` first; the last one also answers for paths that belong to no API. */
  profiles: readonly [ApiProfile, ...ApiProfile[]]
  sql: Sql
  reads: CoalescedReads<Reply>
  begin: Begin
  clock: () => Date
  log: Log
  limiter: Limiter
  limits: BodyLimits
}

/** Maximum number of request headers; more are never needed, and searching thousands of them is slow. */
const maxHeaders = 100
const tooManyHeaders = new Problem(431, `the request has more than ${maxHeaders} headers`)

/** The pipeline: find → authorize → read → validate → run → send. Every failure ends in `refuse`. */
export function createHandler(deps: PipelineDeps): RequestListener {
  const { log, limits } = deps
  const router = new Router(deps.routes)

  async function answer(exchange: Exchange): Promise<Reply> {
    const { req, url, match, profile } = exchange
    refuseMalformed(exchange)
    const { method, headers } = req
    if (!match) return fallback({ method, path: pathOf(url), headers, profile }, router)
    const { authorize, route } = match.target
    const head = headOf(exchange, match.params, deps)
    const validate = await authorize(head)
    const body = route.body && (await bodyOf(exchange, route, head.from, limits))
    return run(route, exchange, head.from, validate(body, profile.refuse))
  }

  /** Runs the handler, alone or shared with equal requests, within the limit on concurrent database work. */
  async function run(
    route: RouteFacts,
    { profile, url }: Exchange,
    from: Origin,
    prepared: Prepared,
  ): Promise<Reply> {
    const { limiter, reads, clock, root } = deps
    const work = async () => replyOf(route, profile, await prepared.run(clock()), { root, url })
    if (!route.shared) return limiter.run(work)
    const key = (deps.rootIsGiven ? '' : from.host) + prepared.key() + (isPaged(route) ? url : '')
    return reads.get(
      { key, run: work, cacheable: route.shared === 'until written' },
      { observedVersion: prepared.observedVersion },
    )
  }

  return async (req, res) => {
    const exchange = arrive(req, res, router, deps.profiles)
    try {
      const reply = await answer(exchange)
      if (reply.stream) await serveStream(exchange, reply, reply.stream, log)
      else send(exchange, reply, log)
    } catch (error) {
      send(exchange, refuse(exchange, error, log), log)
    }
  }
}

function headOf(
  { req, res, id, url }: Exchange,
  params: RequestHead['params'],
  deps: PipelineDeps,
): RequestHead {
  const { sql, begin } = deps
  const from = new Origin(req, id, deps, res)
  return { headers: req.headers, url, params, query: readQuery(url), now: deps.clock(), sql, begin, from }
}

/**
 * A client that expects `100 Continue` gets it only after authorization and the size check. Other expectations are
 * ignored, as RFC 9110, section 10.1.1, allows.
 */
async function bodyOf(
  { req, res, url, profile }: Exchange,
  route: RouteFacts,
  from: Origin,
  limits: BodyLimits,
): Promise<unknown> {
  const bytes = await readBody(req, {
    limits: {
      bytes: route.largestBody ?? limits.bytes,
      milliseconds: limits.milliseconds,
      packed: route.packed,
    },
    from,
    invite: () => asksToContinue(req) && res.writeContinue(),
  })
  return profile.readBody(bytes, { contentType: headerOf(req, 'content-type'), route, query: readQuery(url) })
}

/** @throws Problem 431 too many headers; the error of the API for a path with broken percent-encoding */
function refuseMalformed({ req, url, profile }: Exchange): void {
  if (req.rawHeaders.length > 2 * maxHeaders) throw tooManyHeaders
  if (!profile.brokenPath || !url.includes('%')) return
  try {
    decodeURIComponent(pathOf(url))
  } catch {
    throw profile.brokenPath()
  }
}

function pathOf(url: string): string {
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  return path.includes('//') ? path.replace(/\/{2,}/g, '/') : path
}

function arrive(
  req: IncomingMessage,
  res: ServerResponse,
  router: Router<Mounted>,
  profiles: PipelineDeps['profiles'],
): Exchange {
  const url = req.url ?? '/'
  const path = pathOf(url)
  const match = router.find(req.method ?? 'GET', path)
  const profile = match?.target.profile ?? profileOf(path, profiles)
  const id = requestId(headerOf(req, 'x-request-id'))
  return { req, res, id, arrived: performance.now(), url, profile, match }
}

/** The request id: the caller's if it is a single word that is safe in a log line, otherwise a new one. */
function requestId(given: string | undefined): string {
  if (given !== undefined && /^[\w.:+/=@-]{1,128}$/.test(given)) return given
  lastRequest++
  return `${processName}-${lastRequest.toString(36)}`
}

/** Generated request ids are unique across processes: a random prefix per process, and a counter. */
const processName = randomBytes(6).toString('base64url')
let lastRequest = 0

function profileOf(path: string, profiles: PipelineDeps['profiles']): ApiProfile {
  const own = profiles.find(({ base }) => path === base || path.startsWith(`${base}/`))
  return own ?? profiles[profiles.length - 1] ?? profiles[0]
}

/** The only place that turns errors into answers and logs them. */
function refuse({ id, match, profile }: Exchange, error: unknown, log: Log): Reply {
  const route = match?.target.route
  const known = error instanceof Problem ? error : problemFromDatabaseError(error, route?.conflicts ?? {})
  const problem = known ?? new Problem(500, 'internal error', { log: stackOf(error) })
  if (problem.extra.log !== undefined) {
    const fields = { id, route: route?.literal, status: problem.status, error: problem.extra.log }
    if (problem.status >= 500) log.error(problem.message, fields)
    else log.debug(problem.message, fields)
  }
  return problemReply(profile, problem)
}
