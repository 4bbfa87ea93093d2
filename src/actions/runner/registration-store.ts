import { DecryptionError, type Secrets } from '../../db/encryption/secrets.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { inScope, type Scope } from '../run/scope.ts'
import { hashOf, newRegistrationToken } from './token.ts'

/**
 * The only writer of registration tokens. A scope has one active token, which those who manage its runners may ask for
 * again. It is found by its hash, and encrypted.
 */

/** For what the token of a row is sealed (`db/encryption/secrets.ts`). */
export const registrationPurpose = (id: number): string => `runner registration token ${id}`

/**
 * The active token of a scope; one is made where there is none (`made`), or where no key opens it any more. Of several
 * who ask at once all get the same.
 * A scope that has gone is told by `action_runner_token_owner_known` or `action_runner_token_repository_known`.
 */
export async function registrationToken(
  sql: Sql,
  secrets: Secrets,
  scope: Scope,
  now: Date,
): Promise<{ token: string; made: boolean }> {
  for (let look = 0; look < mostLooks; look++) {
    const active = await activeToken(sql, scope)
    const known = active && openToken(secrets, active)
    if (known !== undefined) return { token: known, made: false }
    if (active) await deactivate(sql, active.id)
    const token = newRegistrationToken()
    if (await insertToken(sql, secrets, scope, token, now)) return { token, made: true }
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
    where token_hash = ${hashOf(token)}`
  return row
}

/** Makes this the active token of a scope, unless it is known already; those before it register nobody any more. */
export async function presetToken(tx: Tx, secrets: Secrets, scope: Scope, token: string): Promise<boolean> {
  if (await registrationOf(tx, token)) return false
  const active = await activeToken(tx, scope)
  if (active) await deactivate(tx, active.id)
  return insertToken(tx, secrets, scope, token, tx.now)
}

/** A token as a row holds it: sealed, or in clear from an earlier program. */
interface Kept {
  id: number
  sealed: Buffer | null
  clear: string | null
}

async function activeToken(sql: Sql, scope: Scope): Promise<Kept | undefined> {
  const [row] = await sql<Kept[]>`
    select id, sealed, token as clear
    from forge.action_runner_token
    where ${inScope(sql, scope)} and is_active`
  return row
}

/** Undefined where no key opens it. */
function openToken(secrets: Secrets, { id, sealed, clear }: Kept): string | undefined {
  if (clear !== null || sealed === null) return clear ?? undefined
  try {
    return secrets.open(sealed, registrationPurpose(id))
  } catch (error) {
    if (error instanceof DecryptionError) return undefined
    throw error
  }
}

async function deactivate(sql: Sql, id: number): Promise<void> {
  await sql`
    update forge.action_runner_token
    set is_active = false
    where id = ${id}`
}

/** Whether it was made: somebody may have been quicker. */
async function insertToken(
  sql: Sql,
  secrets: Secrets,
  { owner_id, repository_id }: Scope,
  token: string,
  now: Date,
): Promise<boolean> {
  const [{ id }] = await sql<[{ id: number }]>`
    select nextval(pg_get_serial_sequence('forge.action_runner_token', 'id')) as id`
  const { count } = await sql`
    insert into forge.action_runner_token (id, token_hash, sealed, owner_id, repository_id, created_at)
      overriding system value
    values
      (${id}, ${hashOf(token)}, ${secrets.seal(token, registrationPurpose(id))}, ${owner_id}, ${repository_id}, ${now})
    on conflict do nothing`
  return count === 1
}
