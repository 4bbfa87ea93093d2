import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import * as v from 'valibot'
import type { Api, ApiProfile } from '../../http/route/api.ts'
import { Problem } from '../../http/route/problem.ts'
import {
  type Access,
  type Literal,
  type RequestContext,
  type RouteFacts,
  routeOf,
} from '../../http/route/route.ts'
import { streamed } from '../../http/route/sends.ts'
import { codeOf, UNREGISTERED } from './codes.ts'
import { type CallingRunner, callingRunner } from './runner-store.ts'
import { hashOf } from './token.ts'
import type { ActionsTools } from './tools.ts'

/**
 * The runner protocol, under `/api/actions`. It has no sessions and no scopes, and is not part of the forge's API. A 401
 * without a body tells a runner that it was deleted, and a 404 without one that the server is too old.
 */

const route = routeOf<ActionsTools>()

interface Caller {
  headers: IncomingHttpHeaders
  url: string
  /** Of a call that only runners may make. */
  runner?: CallingRunner
}

/** How long a deleted runner may report on its last job, in milliseconds. */
const lateReportGrace = 60_000

const anybody: Access<Caller, ActionsTools> = {
  name: 'anybody',
  refusals: [],
  admit: ({ headers, url }) => ({ headers, url }),
}

/**
 * A registered runner. `late`: accepts a recently deleted runner as well. `gathered`: looks up calls that arrive at
 * about the same time together, since hundreds of runners poll every other second and can wait a little.
 */
function runner(options?: 'late' | 'gathered'): Access<Caller, ActionsTools> {
  const late = options === 'late'
  return {
    name: late ? 'runner, also a recently deleted one' : 'runner',
    refusals: [401],
    admit: async ({ headers, url, sql, now, tools, from }: RequestContext<ActionsTools>) => {
      if (options === 'gathered') await nextLookup()
      const [uuid, token] = [textOf(headers['x-runner-uuid']), textOf(headers['x-runner-token'])]
      const calling = await tools.limiter.run(() => callingRunner(sql, uuid, hashOf(token)), from.network)
      const isDeleted =
        calling?.deleted_at != null &&
        now.getTime() - Date.parse(calling.deleted_at) > (late ? lateReportGrace : -1)
      if (!calling || isDeleted) throw new Problem(401, UNREGISTERED)
      return { headers, url, runner: calling }
    },
  }
}

/** How long `gathered` calls wait for others, in milliseconds. */
const lookupDelay = 20

let pendingLookup: Promise<void> | undefined

/** Resolves for all waiting calls at the same time. */
function nextLookup(): Promise<void> {
  pendingLookup ??= pause(lookupDelay).then(() => {
    pendingLookup = undefined
  })
  return pendingLookup
}

const textOf = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header) ?? ''

/** Maximum bytes of a report. After an interruption a runner sends all its outputs and log lines at once. */
const maxReportBytes = 64 * 1024 * 1024

/** Declares a call; its body and its reply are the bytes of a message, in either codec. */
function call(
  literal: Literal,
  declared: Pick<RouteFacts, 'summary'> & {
    access: Access<Caller, ActionsTools>
    largestBody?: number
  },
) {
  const body = v.custom<Buffer>(Buffer.isBuffer)
  return route(literal, {
    ...declared,
    body,
    alwaysValid: true,
    packed: true,
    returns: streamed(200),
    handler: async ({ caller: { runner, ...request }, body, sql, begin, now, tools, from }) => {
      // The first call loads the file: its libraries need a sixth of the processor time of each start.
      const { answer } = await import('./rpc.ts')
      const context = { sql, begin, now, tools, host: from.host }
      const path = literal.slice(literal.indexOf('/'))
      return answer(path, { ...request, body }, runner ? { ...context, runner } : context)
    },
  })
}

const runnerPing = call('POST /ping.v1.PingService/Ping', {
  summary: 'Test the connection to the server',
  access: anybody,
})

const runnerRegister = call('POST /runner.v1.RunnerService/Register', {
  summary: 'Register a runner with a registration token',
  access: anybody,
})

const runnerDeclare = call('POST /runner.v1.RunnerService/Declare', {
  summary: 'Declare the version, labels and capabilities of a runner',
  access: runner(),
})

const runnerFetchTask = call('POST /runner.v1.RunnerService/FetchTask', {
  summary: 'Fetch a job for a runner',
  access: runner('gathered'),
})

const runnerUpdateTask = call('POST /runner.v1.RunnerService/UpdateTask', {
  summary: 'Report the state of a job',
  access: runner('late'),
  largestBody: maxReportBytes,
})

const runnerUpdateLog = call('POST /runner.v1.RunnerService/UpdateLog', {
  summary: 'Append lines to the log of a job',
  access: runner('late'),
  largestBody: maxReportBytes,
})

/** The runner protocol: its routes and its error format. */
export function actionsApi(tools: ActionsTools): Api<ActionsTools> {
  return {
    prefix: '/api/actions',
    tools,
    routes: {
      runnerPing,
      runnerRegister,
      runnerDeclare,
      runnerFetchTask,
      runnerUpdateTask,
      runnerUpdateLog,
    },
    profile: {
      ...commonProfile,
      base: '/api/actions',
      unknownPath: () => new Problem(404, 'there is no such call'),
    },
  }
}

const commonProfile = {
  json: 'application/json',
  anyOrigin: false,
  headers: ['X-Content-Type-Options', 'nosniff', 'Cache-Control', 'no-store'],
  readBody: (bytes: Buffer) => bytes,
  // Handlers send their errors in the format of the protocol; a 404 here means that the call does not exist.
  problem: ({ status, message: detail }: Problem) => ({
    code: codeOf(status === 404 ? 501 : status),
    message: detail,
  }),
  refuse: () => new Problem(400, 'the request is not understood'),
  wrongMethod: () => new Problem(405, 'use POST', { form: 'empty' }),
} satisfies Partial<ApiProfile>
