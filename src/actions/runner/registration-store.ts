import type { Sql, Tx } from '../../db/sql.ts'
import { inScope, type Scope } from '../run/scope.ts'
import { newRegistrationToken } from './token.ts'

/** The only writer of registration tokens. A scope has one active token, which anybody may ask for again. */

/**
 * The active token of a scope; one is made where there is none (`made`). Of several who ask at once all get the same.
 * A scope that has gone is told by `action_runner_token_owner_known` or `action_runner_token_repository_known`.
 */
export async function registrationToken(
  sql: Sql,
  scope: Scope,
  now: Date,
): Promise<{ token: string; made: boolean }> {
  for (let look = 0; look < mostLooks; look++) {
    const known = await activeToken(sql, scope)
    if (known !== undefined) return { token: known, made: false }
    const token = newRegistrationToken()
    if (await insertToken(sql, scope, token, now)) return { token, made: true }
  }
  throw new Error('a registration token is made and taken away again and again')
}

/** Each further look needs somebody who made or replaced the token since the last one. */
const mostLooks = 10

/** What a token of this text may be used for; undefined: nobody made it. */
export async function registrationOf(
  sql: Sql,
  token: string,
): Promise<(Scope & { is_active: boolean }) | undefined> {
  const [row] = await sql<(Scope & { is_active: boolean })[]>`
    select owner_id, repository_id, is_active
    from forge.action_runner_token
    where token = ${token}`
  return row
}

/** Makes this the active token of a scope, unless it is known already; those before it register nobody any more. */
export async function presetToken(tx: Tx, scope: Scope, token: string): Promise<boolean> {
  if (await registrationOf(tx, token)) return false
  await tx`
    update forge.action_runner_token
    set is_active = false
    where ${inScope(tx, scope)} and is_active`
  return insertToken(tx, scope, token, tx.now)
}

async function activeToken(sql: Sql, scope: Scope): Promise<string | undefined> {
  const [row] = await sql<{ token: string }[]>`
    select token
    from forge.action_runner_token
    where ${inScope(sql, scope)} and is_active`
  return row?.token
}

/** Whether it was made: somebody may have been quicker. */
async function insertToken(sql: Sql, scope: Scope, token: string, now: Date): Promise<boolean> {
  const { owner_id, repository_id } = scope
  const { count } = await sql`
    insert into forge.action_runner_token (token, owner_id, repository_id, created_at)
    values (${token}, ${owner_id}, ${repository_id}, ${now})
    on conflict do nothing`
  return count === 1
}
