import { randomBytes } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { refusalOf } from '../../db/errors.ts'
import type { Begin, Sql } from '../../db/sql.ts'
import { traceOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Gate } from '../reads/limiter.ts'
import type { Reads } from '../reads/reads.ts'
import type { Mounted, Voice } from '../route/api.ts'
import { Problem } from '../route/problem.ts'
import { readQuery } from '../route/query.ts'
import type { Prepared, RequestHead, RouteFacts } from '../route/route.ts'
import { type Match, Router } from '../route/router.ts'
import { asksToContinue, headerOf } from '../server/header.ts'
import { Origin, type Surroundings } from '../server/origin.ts'
import { type BodyLimits, readBody } from './body.ts'
import { elsewhere } from './fallback.ts'
import { isPaged, problemReply, type Reply, replyOf } from './reply.ts'
import { send } from './send.ts'
import { lend } from './stream.ts'

/** What the pipeline stands on. */
export interface Hall extends Surroundings {
  /** Routes of all APIs. */
  routes: readonly Mounted[]
  /** All APIs, the longest `base` first; the last one also answers for paths that are nobody's. */
  voices: readonly [Voice, ...Voice[]]
  sql: Sql
  reads: Reads<Reply>
  begin: Begin
  clock: () => Date
  log: Log
  gate: Gate
  limits: BodyLimits
}

/** One request on its way through the pipeline. */
export interface Visit {
  req: IncomingMessage
  res: ServerResponse
  /** `X-Request-Id`, the caller's or ours. */
  id: string
  /** Milliseconds of a steady clock. */
  arrived: number
  url: string
  voice: Voice
  match: Match<Mounted> | undefined
}

/** Headers that a request may have; nobody needs more, and to look through thousands takes its time. */
const mostHeaders = 100
const tooManyHeaders = new Problem(431, `the request has more than ${mostHeaders} headers`)

/** The pipeline: find → authorize → read → validate → run → send. Every failure ends in `refuse`. */
export function createHandler(hall: Hall): RequestListener {
  const { log, limits } = hall
  const router = new Router(hall.routes)

  async function answer(visit: Visit): Promise<Reply> {
    const { req, url, match, voice } = visit
    refuseMalformed(visit)
    const { method, headers } = req
    if (!match) return elsewhere({ method, path: pathOf(url), headers, voice }, router)
    const { authorize, route } = match.target
    const head = headOf(visit, match.params, hall)
    const validate = await authorize(head)
    const body = route.body && (await bodyOf(visit, route, head.from, limits))
    return run(route, visit, head.from, validate(body, voice.refuse))
  }

  /** Runs the handler, alone or shared with equal requests, within the bound on what waits for the database. */
  async function run(
    route: RouteFacts,
    { voice, url }: Visit,
    from: Origin,
    prepared: Prepared,
  ): Promise<Reply> {
    const { gate, reads, clock, root } = hall
    const work = async () => replyOf(route, voice, await prepared.run(clock()), { root, url })
    if (!route.shared) return gate.pass(work)
    const key = (hall.rootIsGiven ? '' : from.host) + prepared.key() + (isPaged(route) ? url : '')
    return reads.take({ key, run: work, holds: route.shared === 'until written' }, { seen: prepared.seen })
  }

  return async (req, res) => {
    const visit = arrive(req, res, router, hall.voices)
    try {
      const reply = await answer(visit)
      if (reply.stream) await lend(visit, reply, reply.stream, log)
      else send(visit, reply, log)
    } catch (error) {
      send(visit, refuse(visit, error, log), log)
    }
  }
}

function headOf({ req, id, url }: Visit, params: RequestHead['params'], hall: Hall): RequestHead {
  const { sql, begin } = hall
  const from = new Origin(req, id, hall)
  return { headers: req.headers, url, params, query: readQuery(url), now: hall.clock(), sql, begin, from }
}

/**
 * A client that asked whether it may send its body is told so only once nothing speaks against it. Other
 * expectations are left alone, as RFC 9110, section 10.1.1, allows.
 */
async function bodyOf(
  { req, res, url, voice }: Visit,
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
  return voice.readBody(bytes, { contentType: headerOf(req, 'content-type'), route, query: readQuery(url) })
}

/** @throws Problem 431 too many headers; what the API says of a path whose percent-encoding is broken */
function refuseMalformed({ req, url, voice }: Visit): void {
  if (req.rawHeaders.length > 2 * mostHeaders) throw tooManyHeaders
  if (!voice.brokenPath || !url.includes('%')) return
  try {
    decodeURIComponent(pathOf(url))
  } catch {
    throw voice.brokenPath()
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
  voices: Hall['voices'],
): Visit {
  const url = req.url ?? '/'
  const path = pathOf(url)
  const match = router.find(req.method ?? 'GET', path)
  const voice = match?.target.voice ?? voiceOf(path, voices)
  const id = requestId(headerOf(req, 'x-request-id'))
  return { req, res, id, arrived: performance.now(), url, voice, match }
}

/** A caller's id is kept when it is a single word that is safe in a log line. */
function requestId(given: string | undefined): string {
  if (given !== undefined && /^[\w.:+/=@-]{1,128}$/.test(given)) return given
  lastRequest++
  return `${processName}-${lastRequest.toString(36)}`
}

/** Request ids are unique over all processes: a random name for this one, and a number. */
const processName = randomBytes(6).toString('base64url')
let lastRequest = 0

function voiceOf(path: string, voices: Hall['voices']): Voice {
  const own = voices.find(({ base }) => path === base || path.startsWith(`${base}/`))
  return own ?? voices[voices.length - 1] ?? voices[0]
}

/** The one place where a failure becomes an answer, and where it is logged. */
function refuse({ id, match, voice }: Visit, error: unknown, log: Log): Reply {
  const route = match?.target.route
  const known = error instanceof Problem ? error : refusalOf(error, route?.conflicts ?? {})
  const problem = known ?? new Problem(500, 'internal error', { log: traceOf(error) })
  if (problem.extra.log !== undefined) {
    const said = { id, route: route?.literal, status: problem.status, error: problem.extra.log }
    if (problem.status >= 500) log.error(problem.message, said)
    else log.debug(problem.message, said)
  }
  return problemReply(voice, problem)
}
