import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { codeToString } from '@connectrpc/connect/protocol-connect'
import * as v from 'valibot'
import type { Api, ApiProfile } from '../../http/route/api.ts'
import { Problem } from '../../http/route/problem.ts'
import { type Access, type RequestContext, routeOf } from '../../http/route/route.ts'
import { answer, codeOf } from './rpc.ts'
import { UNREGISTERED } from './runner-call.ts'
import { type CallingRunner, callingRunner } from './runner-store.ts'
import { hashOf } from './token.ts'
import type { ActionsTools } from './tools.ts'

/**
 * What runners call, under `/api/actions`: no session, no scope, nothing of the forge's API stands before it. A runner takes
 * a bare 401 for its dismissal, and a bare 404 for a server that is too old.
 */

const route = routeOf<ActionsTools>()

interface Caller {
  headers: IncomingHttpHeaders
  url: string
}

interface RunnerCaller extends Caller {
  runner: CallingRunner
}

/** How long a runner that was deleted is still heard about the job that it had, in milliseconds. */
const grace = 60_000

const anybody: Access<Caller, ActionsTools> = {
  name: 'anybody',
  refusals: [],
  admit: ({ headers, url }) => ({ headers, url }),
}

/**
 * A registered runner. `late`: also one that was deleted a moment ago. `gathered`: who asks at about the same time is
 * looked up together, since hundreds ask every other second and none of them is in a hurry.
 */
function runner(how?: 'late' | 'gathered'): Access<RunnerCaller, ActionsTools> {
  const late = how === 'late'
  return {
    name: late ? 'runner, also one just deleted' : 'runner',
    refusals: [401],
    admit: async ({ headers, url, sql, now, tools }: RequestContext<ActionsTools>) => {
      if (how === 'gathered') await others()
      const [uuid, token] = [one(headers['x-runner-uuid']), one(headers['x-runner-token'])]
      const found = await tools.gate.run(() => callingRunner(sql, uuid, hashOf(token)))
      const gone =
        found?.deleted_at != null && now.getTime() - Date.parse(found.deleted_at) > (late ? grace : -1)
      if (!found || gone) throw new Problem(401, UNREGISTERED)
      return { headers, url, runner: found }
    },
  }
}

/** How long those who ask for work are gathered, in milliseconds. */
const gathering = 20

let gathered: Promise<void> | undefined

/** Settles for all who wait at the same time at once. */
function others(): Promise<void> {
  gathered ??= pause(gathering).then(() => {
    gathered = undefined
  })
  return gathered
}

const one = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header) ?? ''

/** The bytes of a message, whatever codec they are in. */
const message = v.custom<Buffer>(Buffer.isBuffer)

/** What every call of the protocol takes and gives. */
const call = { body: message, packed: true, returns: [200], sends: 'stream' } as const

/** Bytes of reports that a runner could not send for a while: outputs, and lines of logs. */
const largestReport = 64 * 1024 * 1024

const ping = route(
  'POST /ping.v1.PingService/Ping',
  {
    summary: 'Whether this is a server for runners',
    access: anybody,
    ...call,
  },
  (given) => answer('/ping.v1.PingService/Ping', received(given), asking(given)),
)

const register = route(
  'POST /runner.v1.RunnerService/Register',
  {
    summary: 'Make a runner with a registration token',
    access: anybody,
    ...call,
  },
  (given) => answer('/runner.v1.RunnerService/Register', received(given), asking(given)),
)

const declare = route(
  'POST /runner.v1.RunnerService/Declare',
  {
    summary: 'What a runner is and can',
    access: runner(),
    ...call,
  },
  (given) => answer('/runner.v1.RunnerService/Declare', received(given), byRunner(given)),
)

const fetchTask = route(
  'POST /runner.v1.RunnerService/FetchTask',
  {
    summary: 'A job for a runner, if there is one',
    access: runner('gathered'),
    ...call,
  },
  (given) => answer('/runner.v1.RunnerService/FetchTask', received(given), byRunner(given)),
)

const updateTask = route(
  'POST /runner.v1.RunnerService/UpdateTask',
  {
    summary: 'How a job goes, or how it ended',
    access: runner('late'),
    largestBody: largestReport,
    ...call,
  },
  (given) => answer('/runner.v1.RunnerService/UpdateTask', received(given), byRunner(given)),
)

const updateLog = route(
  'POST /runner.v1.RunnerService/UpdateLog',
  {
    summary: 'Lines of the log of a job',
    access: runner('late'),
    largestBody: largestReport,
    ...call,
  },
  (given) => answer('/runner.v1.RunnerService/UpdateLog', received(given), byRunner(given)),
)

/** The runner protocol, and the refusal of what belongs to it elsewhere and is not there. */
export function actionsApi(tools: ActionsTools): Api<ActionsTools> {
  return {
    prefix: '/api/actions',
    tools,
    routes: [ping, register, declare, fetchTask, updateTask, updateLog],
    profile: {
      ...manners,
      base: '/api/actions',
      unknownPath: () => new Problem(404, 'there is no such call'),
    },
  }
}

const manners = {
  json: 'application/json',
  anyOrigin: false,
  headers: ['X-Content-Type-Options', 'nosniff', 'Cache-Control', 'no-store'],
  readBody: (bytes: Buffer) => bytes,
  // Of calls only those that are not there at all are refused here with a 404.
  problem: ({ status, message: words }: Problem) => ({
    code: codeToString(codeOf(status === 404 ? 501 : status)),
    message: words,
  }),
  refuse: () => new Problem(400, 'the request is not understood'),
  wrongMethod: () => new Problem(405, 'calls are POST', { form: 'empty' }),
} satisfies Partial<ApiProfile>

/** What runners ask for where artifacts, caches and summaries would be. */
export const absentProfiles: readonly ApiProfile[] = ['/api/actions_pipeline', '/twirp'].map((base) => ({
  ...manners,
  base,
  unknownPath: () => new Problem(501, 'this server keeps no artifacts, caches or summaries'),
}))

type Given<Who> = Parameters<Parameters<typeof route>[2]>[0] & { caller: Who }

function received({ caller, body }: { caller: Caller; body: Buffer }) {
  return { url: caller.url, headers: caller.headers, body }
}

function asking({ sql, begin, now, tools, from }: Omit<Given<Caller>, 'body'>) {
  return { sql, begin, now, tools, host: from.host }
}

function byRunner(given: Omit<Given<RunnerCaller>, 'body'>) {
  return { ...asking(given), runner: given.caller.runner }
}
