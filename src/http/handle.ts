import { randomBytes } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { traceOf } from '../codes.ts'
import { refusalOf } from '../db/refuse.ts'
import type { Begin, Sql } from '../db/sql.ts'
import type { Log } from '../log.ts'
import type { Check, Mounted, Run, Voice } from './api.ts'
import { type BodyLimits, readBody } from './body.ts'
import { elsewhere } from './elsewhere.ts'
import type { Gate } from './gate.ts'
import { asksToContinue, headerOf } from './header.ts'
import { Origin, type Surroundings } from './origin.ts'
import { Problem } from './problem.ts'
import { readQuery } from './query.ts'
import type { Read, Reads } from './reads.ts'
import { isPaged, problemReply, type Reply, replyOf } from './reply.ts'
import type { RouteFacts } from './route.ts'
import { type Match, Router } from './router.ts'
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

/** A shared read by an open route: what its URL means never changes, so it is worked out once. */
interface Known {
  match: Match<Mounted>
  read: Read<Reply>
}

/** What never changes while the server runs, as it was once sent to nobody in particular. */
interface Standing {
  match: Match<Mounted>
  reply: Reply
}

/** URLs whose meaning is remembered at one time. */
const knownAtMost = 1000

/** Headers that a request may have; nobody needs more, and to look through thousands takes its time. */
const mostHeaders = 100
const tooManyHeaders = new Problem(431, `the request has more than ${mostHeaders} headers`)

/** The pipeline, a straight line: find → admit → read → check → run → send. A promise only where something is waited for. */
export function createHandler(hall: Hall): RequestListener {
  const router = new Router(hall.routes)
  const known = new Map<string, Known>()
  const standing = new Map<string, Standing>()
  const { sql, begin, root, log, reads } = hall
  const anybody = new Origin(undefined, '', hall)

  function answer(visit: Visit): Reply | Promise<Reply> {
    const { req, match, url } = visit
    refuseBroken(visit)
    const { method, headers } = req
    if (!match) return elsewhere({ method, path: pathOf(url), headers, voice: visit.voice }, router)
    const from = new Origin(req, visit.id, hall)
    const { params } = match
    const head = { headers, url, params, query: readQuery(url), now: hall.clock(), sql, begin, from }
    const check = match.target.admit(head)
    if (check instanceof Promise || match.target.route.body) return later(visit, match, from, check)
    return depart(visit, match, from, check(undefined, visit.voice.refuse))
  }

  async function later(
    visit: Visit,
    match: Match<Mounted>,
    from: Origin,
    admitted: Check | Promise<Check>,
  ): Promise<Reply> {
    const check = await admitted
    const { route } = match.target
    const body = route.body && (await bodyOf(visit, route, hall.limits))
    return await depart(visit, match, from, check(body, visit.voice.refuse))
  }

  function depart(
    { url, voice }: Visit,
    match: Match<Mounted>,
    origin: Origin,
    { key, seen, run }: Run,
  ): Reply | Promise<Reply> {
    const { route } = match.target
    // What is remembered must not hold on to the request that came first.
    const from = route.shared && route.access.open ? anybody : origin
    const work = async () =>
      replyOf(route, voice, await run({ sql, begin, now: hall.clock(), from }), { root, url })
    if (!route.shared) return hall.gate.pass(work)
    const named = (hall.rootIsGiven ? '' : from.host) + (isPaged(route) ? key() + url : key())
    const read = { key: named, run: work, holds: route.shared === 'until written' }
    if (route.access.open) remember(known, url, { match, read })
    return reads.take(read, { seen })
  }

  /** The reply to whoever shows nothing of themselves, if this address has been asked for before. */
  function replyStanding(req: IncomingMessage, url: string): Standing | undefined {
    const found = req.method === 'GET' || req.method === 'HEAD' ? standing.get(url) : undefined
    return found && isNobody(req, found.match.target.route) ? found : undefined
  }

  function keep({ req, url, match }: Visit, reply: Reply): void {
    const route = match?.target.route
    if (!route?.fixed || reply.status !== route.status || url.includes('?')) return
    if (isNobody(req, route)) remember(standing, url, { match, reply })
  }

  return (req, res) => {
    const url = req.url ?? '/'
    if (req.rawHeaders.length > 2 * mostHeaders) {
      const visit = arrive(req, res, url, findMatch(req, url, router), hall.voices)
      return send(visit, problemReply(visit.voice, tooManyHeaders), log)
    }
    const still = replyStanding(req, url)
    if (still) return send(arrive(req, res, url, still.match, hall.voices), still.reply, log)
    const shared = req.method === 'GET' || req.method === 'HEAD' ? known.get(url) : undefined
    const visit = arrive(req, res, url, shared?.match ?? findMatch(req, url, router), hall.voices)
    const sent = (reply: Reply) => {
      keep(visit, reply)
      return reply.stream ? lend(visit, reply, reply.stream, log).catch(refused) : send(visit, reply, log)
    }
    const refused = (error: unknown) => send(visit, refuse(visit, error, log), log)
    try {
      const reply = shared ? reads.take(shared.read) : answer(visit)
      if (reply instanceof Promise) reply.then(sent, refused)
      else sent(reply)
    } catch (error) {
      refused(error)
    }
  }
}

/**
 * A client that asked whether it may send its body is told so only once nothing speaks against it. Other
 * expectations are left alone, as RFC 9110, section 10.1.1, allows.
 */
async function bodyOf(
  { req, res, url, voice }: Visit,
  route: RouteFacts,
  limits: BodyLimits,
): Promise<unknown> {
  const bytes = await readBody(
    req,
    {
      bytes: route.largestBody ?? limits.bytes,
      milliseconds: limits.milliseconds,
      packed: route.packed,
    },
    () => asksToContinue(req) && res.writeContinue(),
  )
  return voice.readBody(bytes, { contentType: headerOf(req, 'content-type'), route, query: readQuery(url) })
}

/** A path that cannot be decoded. @throws Problem where the API has one for it */
function refuseBroken({ url, voice }: Visit): void {
  if (!voice.brokenPath || !url.includes('%')) return
  try {
    decodeURIComponent(pathOf(url))
  } catch {
    throw voice.brokenPath()
  }
}

/** Whether nothing in a request's head tells who sends it. */
function isNobody(req: IncomingMessage, { access }: RouteFacts): boolean {
  return access.identity?.every((name) => headerOf(req, name) === undefined) ?? false
}

function remember<Meaning>(meanings: Map<string, Meaning>, url: string, meaning: Meaning): void {
  if (meanings.size >= knownAtMost) meanings.clear()
  meanings.set(url, meaning)
}

function findMatch(req: IncomingMessage, url: string, router: Router<Mounted>): Match<Mounted> | undefined {
  return router.find(req.method ?? 'GET', pathOf(url))
}

function pathOf(url: string): string {
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  return path.includes('//') ? path.replace(/\/{2,}/g, '/') : path
}

function arrive(
  req: IncomingMessage,
  res: ServerResponse,
  url: string,
  match: Match<Mounted> | undefined,
  voices: Hall['voices'],
): Visit {
  const voice = match?.target.voice ?? voiceOf(pathOf(url), voices)
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
