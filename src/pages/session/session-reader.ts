import type { Authentication, CallerSession } from '../../forge/auth/authenticator.ts'
import { storedScopes } from '../../forge/auth/scopes.ts'
import type { RequestContext } from '../../http/route/route.ts'
import { sessionIn } from './session.ts'

/**
 * Authenticates requests for pages: by their `Authorization`, else by the session of the browser. A session
 * only reads: whatever writes asks for more than a cookie (`session.ts`).
 */
export function withSessions(authenticator: Authentication): Authentication {
  return {
    authenticate: async (context, subject) => {
      const session = await readingSession(context)
      return session
        ? authenticator.authenticateSession(context, session, subject)
        : authenticator.authenticate(context, subject)
    },
    authenticateSession: (context, session, subject) =>
      authenticator.authenticateSession(context, session, subject),
  }
}

async function readingSession(context: RequestContext<unknown>): Promise<CallerSession | undefined> {
  const { headers, route } = context
  if (route.method !== 'GET' || headers.authorization !== undefined) return undefined
  const session = await sessionIn(context)
  if (!session) return undefined
  const { account_id: account, token_id: id, scopes } = session
  return { account, token: id === null ? undefined : { id, scopes: storedScopes(scopes ?? '') } }
}
