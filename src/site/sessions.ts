import { badRequest, found } from '../http/route/problem.ts'
import { json, noBody } from '../http/route/sends.ts'
import { type ChangeContext, makeChange } from './change.ts'
import { anyone, route } from './route.ts'
import { endOpenSession, endSessionsBefore, insertSession, usernameOf } from './session-store.ts'
import { SessionEnd, SessionStart } from './site.option.ts'
import { StartedSession } from './site.shape.ts'

/** When a browser leaves a page, it can only send plain text (`navigator.sendBeacon`). */
const beacons = ['text/plain']

const maxUsernameLength = 255

export const startSession = route('POST /api/stats/session/start', {
  summary: 'Start a session of a user',
  access: anyone,
  body: SessionStart,
  accepts: beacons,
  invalid: 'username is required',
  returns: json(201, StartedSession),
  handler: ({ body: { username }, now, sql }) => {
    if ([...username].length > maxUsernameLength) {
      throw badRequest(`username must have at most ${maxUsernameLength} characters`)
    }
    return insertSession(sql, { username, at: now })
  },
})

export const endSession = route('POST /api/stats/session/end', {
  summary: 'End the session of a user',
  access: anyone,
  body: SessionEnd,
  accepts: beacons,
  invalid: 'sessionId is required',
  fails: [404],
  returns: noBody(204),
  handler: async ({ body: { sessionId }, now, sql }) => {
    const ended = Number.isSafeInteger(sessionId) ? await endOpenSession(sql, sessionId, now) : undefined
    found(ended, 'no active session with that id')
  },
})

/** Ends an open session, and records that. @throws Problem 404 there is no such open session */
export async function closeSession(context: ChangeContext, id: number): Promise<void> {
  await makeChange(
    context,
    async (sql, now) => {
      found(Number.isSafeInteger(id) ? await endOpenSession(sql, id, now) : undefined)
      return usernameOf(sql, id)
    },
    (name) => ({ action: 'session.ended', target: { kind: 'session', id, name } }),
  )
}

/** Ends all sessions that started before a moment, and records that; returns how many. */
export function closeSessionsBefore(context: ChangeContext, before: Date): Promise<number> {
  return makeChange(
    context,
    (sql, now) => endSessionsBefore(sql, before, now),
    (ended) => ({
      action: 'sessions.ended',
      target: { kind: 'site', name: 'sessions' },
      details: { before, ended },
    }),
  )
}
