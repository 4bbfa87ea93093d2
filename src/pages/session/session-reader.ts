import type { Authentication, CallerSession } from '../../forge/auth/authenticator.ts'
import type { RequestContext } from '../../http/route/route.ts'
import type { SessionReads } from '../session-reads.ts'
import { callerSessionOf, requireSameOrigin, sessionIn } from './session.ts'

/**
 * Authenticates requests for pages: by their `Authorization`, else by the session of the browser. A form must come from
 * a page of this server, since browsers send the cookie, and a password that they have asked for (RFC 7617), whatever made
 * them send the form.
 */
export function withSessions(authenticator: Authentication, sessions: SessionReads): Authentication {
  return {
    authenticate: async (context, subject) => {
      const session = await readingSession(context, sessions)
      return session
        ? authenticator.authenticateSession(context, session, subject)
        : authenticator.authenticate(context, subject)
    },
    authenticateCode: (context, begun) => authenticator.authenticateCode(context, begun),
    authenticateKey: (context, key, subject) => authenticator.authenticateKey(context, key, subject),
    authenticateSession: (context, session, subject) =>
      authenticator.authenticateSession(context, session, subject),
  }
}

async function readingSession(
  context: RequestContext<unknown>,
  sessions: SessionReads,
): Promise<CallerSession | undefined> {
  const { headers, route, from } = context
  if (route.method !== 'GET') requireSameOrigin(headers, from.host)
  if (headers.authorization !== undefined) return undefined
  const session = await sessionIn(context, sessions)
  return session && callerSessionOf(session)
}
