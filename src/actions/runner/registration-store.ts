import { decryptedOrError, type Secrets } from '../../db/encryption/secrets.ts'
import { anyRow, firstRow, onlyRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { inScope, type Scope } from '../secrets/scope-store.ts'
import { hashOf, newRegistrationToken } from './token.ts'

/**
 * The only writer of registration tokens. A scope has one active token, which managers of its runners can read again.
 * The row holds its hash, for look-ups, and its encrypted text.
 */

/** Associated data of the encrypted token of a row (`db/encryption/secrets.ts`). */
export const registrationPurpose = (id: number): string => `runner registration token ${id}`

/**
 * The active token of a scope. Makes one (`made`) if there is none or if no key decrypts it. Concurrent calls get the same
 * token.
 * A deleted scope violates `action_runner_token_owner_known` or `action_runner_token_repository_known`.
 */
export async function registrationToken(
  sql: Sql,
  secrets: Secrets,
  scope: Scope,
  now: Date,
): Promise<{ token: string; made: boolean }> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const active = await activeToken(sql, scope)
    const text = active && decryptToken(secrets, active)
    if (text !== undefined) return { token: text, made: false }
    if (active) await deactivate(sql, active.id)
    const token = newRegistrationToken()
    if (await insertToken(sql, secrets, scope, token, now)) return { token, made: true }
  }
  throw new Error('other calls keep replacing the registration token')
}

/** Each retry means that another call made or replaced the token in between. */
const maxAttempts = 10

/**
 * The scope for which a token registers runners; undefined: unknown token. A transaction that replaces the token waits for
 * one that registers a runner with it.
 */
export const registrationOf = (tx: Tx, token: string) =>
  firstRow(tx<(Scope & { is_active: boolean })[]>`
    select owner_id, repository_id, is_active
    from forge.action_runner_token
    where token_hash = ${hashOf(token)}
    for share`)

/** Makes the active token of a scope invalid; the next request for one makes a new one. Returns whether there was one. */
export const replaceRegistrationToken = (tx: Tx, scope: Scope) =>
  anyRow(tx`
    update forge.action_runner_token
    set is_active = false
    where ${inScope(tx, scope)} and is_active`)

/** Makes this the active token of a scope unless it exists; earlier tokens become invalid. Returns whether it did not exist. */
export async function presetToken(tx: Tx, secrets: Secrets, scope: Scope, token: string): Promise<boolean> {
  if (await registrationOf(tx, token)) return false
  const active = await activeToken(tx, scope)
  if (active) await deactivate(tx, active.id)
  return insertToken(tx, secrets, scope, token, tx.now)
}

interface StoredToken {
  id: number
  sealed: Buffer
}

const activeToken = (sql: Sql, scope: Scope) =>
  firstRow(sql<StoredToken[]>`
    select id, sealed
    from forge.action_runner_token
    where ${inScope(sql, scope)} and is_active`)

/** Undefined if no key decrypts it. */
function decryptToken(secrets: Secrets, { id, sealed }: StoredToken): string | undefined {
  const text = decryptedOrError(() => secrets.decrypt(sealed, registrationPurpose(id)))
  return typeof text === 'string' ? text : undefined
}

async function deactivate(sql: Sql, id: number): Promise<void> {
  await sql`
    update forge.action_runner_token
    set is_active = false
    where id = ${id}`
}

/** False when a concurrent call inserted one first. */
async function insertToken(
  sql: Sql,
  secrets: Secrets,
  { owner_id, repository_id }: Scope,
  token: string,
  now: Date,
): Promise<boolean> {
  const { id } = await onlyRow(sql<[{ id: number }]>`
    select nextval(pg_get_serial_sequence('forge.action_runner_token', 'id')) as id`)
  return anyRow(sql`
    insert into forge.action_runner_token (id, token_hash, sealed, owner_id, repository_id, created_at)
      overriding system value
    values
      (${id}, ${hashOf(token)}, ${secrets.encrypt(token, registrationPurpose(id))}, ${owner_id}, ${repository_id}, ${now})
    on conflict do nothing`)
}
