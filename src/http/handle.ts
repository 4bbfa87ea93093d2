import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { refusalOf } from '../db/refuse.ts'
import type { Begin, Sql } from '../db/sql.ts'
import type { Log } from '../log.ts'
import type { Mounted, Voice } from './api.ts'
import { type BodyLimits, readBody } from './body.ts'
import { Flights } from './flight.ts'
import type { Gate } from './gate.ts'
import { Problem } from './problem.ts'
import { readQuery } from './query.ts'
import { problemReply, type Reply, replyOf } from './reply.ts'
import type { RouteFacts } from './route.ts'
import { type Match, Router } from './router.ts'
import { send } from './send.ts'

/** What the pipeline stands on. */
export interface Hall {
  /** Routes of all APIs. */
  routes: readonly Mounted[]
  /** All APIs, the longest `base` first; the last one also answers for paths that are nobody's. */
  voices: readonly [Voice, ...Voice[]]
  sql: Sql
  begin: Begin
  clock: () => Date
  log: Log
  gate: Gate
  limits: BodyLimits
  /** Public root URL with a slash at its end. */
  root: string
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
  path: string
  voice: Voice
  match: Match<Mounted> | undefined
}

/** The pipeline, a straight line: find → admit → read → check → run → send. */
export function createHandler(hall: Hall): RequestListener {
  const router = new Router(hall.routes)
  const flights = new Flights<Reply>()

  async function answer(visit: Visit): Promise<Reply> {
    const { req, match, url, voice } = visit
    if (!match) return elsewhere(visit, router)
    const { target, params } = match
    const { route } = target
    const { sql, begin, root } = hall
    const head = { route, headers: req.headers, params, query: readQuery(url), sql, begin, now: hall.clock() }
    const check = await target.admit(head)
    const body = route.body && (await bodyOf(visit, route, hall.limits))
    const { key, run } = check(body, voice.refuse)
    const pass = () =>
      hall.gate.pass(async () =>
        replyOf(route, voice, await run({ sql, begin, now: hall.clock() }), { root, url }),
      )
    return route.shared ? flights.board(route.sends === 'page' ? key() + url : key(), pass) : pass()
  }

  return (req, res) => {
    const visit = arrive(req, res, hall, router)
    answer(visit)
      .catch((error: unknown) => refuse(visit, error, hall.log))
      .then((reply) => send(visit, reply, hall.log))
      .catch((error: unknown) => {
        hall.log.error('reply not sent', { id: visit.id, error: describe(error) })
        res.destroy()
      })
  }
}

/** A client that asked whether it may send its body is told so only now. */
async function bodyOf({ req, res, voice }: Visit, route: RouteFacts, limits: BodyLimits): Promise<unknown> {
  const reading = readBody(req, limits)
  if (req.headers.expect !== undefined) res.writeContinue()
  return voice.readBody(await reading, req.headers['content-type'], route.accepts)
}

function arrive(req: IncomingMessage, res: ServerResponse, hall: Hall, router: Router<Mounted>): Visit {
  const url = req.url ?? '/'
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const match = router.find(req.method ?? 'GET', path)
  return {
    req,
    res,
    id: requestId(req.headers['x-request-id']),
    arrived: performance.now(),
    url,
    path,
    voice: match?.target.voice ?? voiceOf(path, hall.voices),
    match,
  }
}

/** A caller's id is kept when it is a single word that is safe in a log line. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.:+/=@-]{1,128}$/.test(given) ? given : randomUUID()
}

function voiceOf(path: string, voices: Hall['voices']): Voice {
  const own = voices.find(({ base }) => path === base || path.startsWith(`${base}/`))
  return own ?? voices[voices.length - 1] ?? voices[0]
}

/** A preflight, a path with other methods, or no path at all. */
function elsewhere({ req, path, voice }: Visit, router: Router<Mounted>): Reply {
  const methods = router.methodsOf(path)
  if (methods.length === 0) throw voice.unknownPath()
  const allowed = (voice.anyOrigin ? [...methods, 'OPTIONS'] : methods).join(', ')
  if (req.method !== 'OPTIONS' || !voice.anyOrigin) {
    const problem = voice.wrongMethod()
    throw new Problem(problem.status, problem.message, { headers: { Allow: allowed } })
  }
  const headers = req.headers['access-control-request-headers']
  const preflight = [...voice.headers, 'Allow', allowed]
  preflight.push('Access-Control-Allow-Methods', allowed, 'Access-Control-Max-Age', '86400')
  if (headers) preflight.push('Access-Control-Allow-Headers', headers)
  return { status: 204, headers: preflight, chunks: [], length: 0 }
}

/** The one place where a failure becomes an answer, and where it is logged. */
function refuse({ id, match, voice }: Visit, error: unknown, log: Log): Reply {
  const route = match?.target.route
  const known = error instanceof Problem ? error : refusalOf(error, route?.conflicts ?? {})
  const problem = known ?? new Problem(500, 'internal error', { log: describe(error) })
  if (problem.extra.log !== undefined) {
    const said = { id, route: route?.literal, status: problem.status, error: problem.extra.log }
    if (problem.status >= 500) log.error(problem.message, said)
    else log.debug(problem.message, said)
  }
  return problemReply(voice, problem)
}

const describe = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error))
