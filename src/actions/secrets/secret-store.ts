import { decryptedOrError, type Secrets } from '../../db/encryption/secrets.ts'
import { type Paging, pageOf } from '../../db/page.ts'
import { allRows, anyRow, firstRow, onlyRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { unavailable } from '../../http/route/problem.ts'
import type { Log } from '../../log.ts'
import { inScope, type Scope } from './scope-store.ts'

/** A secret without its value. */
export interface StoredSecret {
  id: number
  name: string
  description: string
  created_at: string
}

/** A secret to store. */
interface SecretDraft {
  /** In upper case. */
  name: string
  data: string
  /** Undefined: that of the present secret, or none. */
  description: string | undefined
}

/** Associated data of the encrypted value of a secret (`db/encryption/secrets.ts`). */
export const secretPurpose = (id: number) => `secret ${id}`

/** The only writer of secrets. */

/** A page of the secrets of an owner or a repository, the oldest first. */
export const pageOfSecrets = (sql: Sql, scope: Scope, paging: Paging) =>
  pageOf<StoredSecret>(sql, paging, {
    from: sql`from forge.secret where ${inScope(sql, scope)}`,
    columns: sql`id, name, description, created_at`,
    by: sql`order by id`,
  })

/**
 * Stores a secret under its name. The ciphertext is bound to the id of the row, which is therefore read or generated
 * first; after a conflict with a concurrent change the function tries again.
 * @throws Problem 503
 */
export async function putSecret(
  tx: Tx,
  secrets: Secrets,
  scope: Scope,
  draft: SecretDraft,
): Promise<'created' | 'updated'> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const id = await secretId(tx, scope, draft.name)
    if (id !== undefined && (await updateSecret(tx, secrets, id, draft))) return 'updated'
    if (id === undefined && (await insertSecret(tx, secrets, scope, draft))) return 'created'
  }
  throw unavailable('the secret is being changed by others')
}

/** Each retry means that another call created or deleted the secret in between. */
const maxAttempts = 20

async function secretId(tx: Tx, scope: Scope, name: string): Promise<number | undefined> {
  const row = await firstRow(tx<{ id: number }[]>`
    select id
    from forge.secret
    where ${inScope(tx, scope)} and name = ${name}`)
  return row?.id
}

async function updateSecret(tx: Tx, secrets: Secrets, id: number, draft: SecretDraft): Promise<boolean> {
  const sealed = secrets.encrypt(draft.data, secretPurpose(id))
  return anyRow(tx`
    update forge.secret
    set sealed = ${sealed}, description = coalesce(${draft.description ?? null}, description), updated_at = ${tx.now}
    where id = ${id}`)
}

/** A deleted owner or repository violates `secret_owner_known` or `secret_repository_known`. */
async function insertSecret(tx: Tx, secrets: Secrets, scope: Scope, draft: SecretDraft): Promise<boolean> {
  const { id } = await onlyRow(tx<[{ id: number }]>`
    select nextval(pg_get_serial_sequence('forge.secret', 'id')) as id`)
  return anyRow(tx`
    insert into forge.secret
      (id, owner_id, repository_id, name, description, sealed, created_at, updated_at)
    values
      (${id}, ${scope.owner_id}, ${scope.repository_id}, ${draft.name}, ${draft.description ?? ''},
       ${secrets.encrypt(draft.data, secretPurpose(id))}, ${tx.now}, ${tx.now})
    on conflict on constraint secret_name_unique do nothing`)
}

/** Returns whether the secret existed. */
export const deleteSecret = (tx: Tx, scope: Scope, name: string) =>
  anyRow(tx`
    delete from forge.secret
    where ${inScope(tx, scope)} and name = ${name}`)

/**
 * The decrypted secrets for jobs of a repository, by name; those of the repository take precedence over those of its
 * owner. A secret that cannot be decrypted is logged and left out, and still replaces the owner's secret of that name.
 */
export async function secretsForJobs(
  sql: Sql,
  { owner, repository }: { owner: number; repository: number },
  { secrets, log }: { secrets: Secrets; log: Log },
): Promise<Record<string, string>> {
  const rows = await allRows(sql<{ id: number; name: string; sealed: Buffer }[]>`
    select id, name, sealed
    from forge.secret
    where owner_id = ${owner} or repository_id = ${repository}
    order by repository_id nulls first, id`)
  const values: Record<string, string> = {}
  for (const { id, name, sealed } of rows) {
    delete values[name]
    const text = decryptedOrError(() => secrets.decrypt(sealed, secretPurpose(id)))
    if (typeof text === 'string') values[name] = text
    else log.error('cannot decrypt an Actions secret', { secret: id, name, error: text.message })
  }
  return values
}
