import type { RequestContext } from '../../../http/route/route.ts'
import type { Authentication } from '../authenticator.ts'
import { firstValue } from '../authorization.ts'

/**
 * Authenticates requests of the SSH program, which name the fingerprint of their client's key: only the user of this server
 * can open its socket.
 */
export const withKeys = (authenticator: Authentication): Authentication => ({
  authenticate: (context, subject) => authenticator.authenticateKey(context, keyIn(context), subject),
  authenticateCode: (context, begun) => authenticator.authenticateCode(context, begun),
  authenticateKey: (context, key, subject) => authenticator.authenticateKey(context, key, subject),
  authenticateSession: (context, session, subject) =>
    authenticator.authenticateSession(context, session, subject),
})

/** The fingerprint of the key that a request names; empty if it names none. */
export const keyIn = ({ headers }: Pick<RequestContext<unknown>, 'headers'>): string =>
  firstValue(headers['forgehall-ssh-key']) ?? ''
