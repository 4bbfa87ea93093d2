import type { Tx } from '../db/sql.ts'
import { forbidden, Problem } from '../http/route/problem.ts'
import type { Access } from '../http/route/route.ts'
import type { AuditEvent } from './audit/audit-store.ts'
import { record } from './audit/audit-trail.ts'
import { requireAdmin, SIGN_IN_REFUSALS } from './auth/access.ts'
import type { Authentication } from './auth/authenticator.ts'
import { permits, scopeRefusal } from './auth/scopes.ts'

/** No operation of the management API requires this scope, so a token with this scope alone can do nothing else. */
const scope = ['misc'] as const

const tokenRequired = () =>
  new Problem(401, 'an access token is required to change the site', {
    headers: { 'WWW-Authenticate': 'Bearer realm="Forgehall"' },
  })

/** Adds a change of the site to the audit trail; undefined if changes of the site have no author. */
type RecordChange = ((tx: Tx, change: AuditEvent) => Promise<void>) | undefined

/** Everybody. The address of whoever changes or removes something is in the audit trail, because nothing else tells it. */
export const everybody: Access<RecordChange, unknown> = {
  name: 'anyone',
  refusals: [],
  admit:
    ({ from }) =>
    (tx, change) =>
      record(tx, { caller: 'unknown caller', from }, change),
}

/**
 * Site administrators who present an access token with the scope `write:misc`. A password is not enough: browsers store
 * passwords and send them with requests that other sites cause. The audit trail records what the administrators change.
 */
export function sitePublishers(authenticator: Authentication): Access<RecordChange, unknown> {
  return {
    name: 'sitePublishers(misc)',
    refusals: [401, 403, ...SIGN_IN_REFUSALS],
    challenges: true,
    admit: async (context) => {
      const caller = await authenticator.authenticate(context)
      const { me, token } = caller
      if (!me || !token) throw tokenRequired()
      if (!permits(token.scopes, scope, 'write')) throw forbidden(scopeRefusal(token.scopes, scope, 'write'))
      const by = { caller: requireAdmin({ ...caller, me }), from: context.from }
      return (tx, change) => record(tx, by, change)
    },
  }
}
