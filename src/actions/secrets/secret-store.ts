import { DecryptionError, type Secrets } from '../../db/encryption/secrets.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { offsetOf, type Page, type Paging } from '../../http/route/page.ts'
import { unavailable } from '../../http/route/problem.ts'
import type { Log } from '../../log.ts'
import { inScope, type Scope } from '../run/scope.ts'

/** A secret as it is listed. */
export interface StoredSecret {
  id: number
  name: string
  description: string
  created_at: string
}

/** What is to be kept under a name. */
interface SecretDraft {
  /** In upper case. */
  name: string
  data: string
  description: string
}

/** For what a secret is sealed (`db/encryption/secrets.ts`). */
export const secretPurpose = (id: number) => `secret ${id}`

/** The only writer of secrets. */

/** A page of the secrets of an owner or a repository, the oldest first. */
export async function pageOfSecrets(sql: Sql, scope: Scope, paging: Paging): Promise<Page<StoredSecret>> {
  const rows = await sql<({ total: number } & (StoredSecret | { id: null }))[]>`
    select (select count(*) from forge.secret where ${inScope(sql, scope)}) as total, secret.*
    from (select) as always
    left join (
      select id, name, description, created_at
      from forge.secret
      where ${inScope(sql, scope)}
      order by id
      limit ${paging.limit}
      offset ${offsetOf(paging)}
    ) as secret on true
    order by secret.id`
  return { rows: rows.filter((row) => row.id !== null), total: rows[0]?.total ?? 0, ...paging }
}

/**
 * Keeps a secret under its name. What is sealed names its row, so the row is found, or its id drawn, before it is
 * written; who finds that somebody was quicker looks again.
 * @throws Problem 503
 */
export async function putSecret(
  tx: Tx,
  secrets: Secrets,
  scope: Scope,
  draft: SecretDraft,
): Promise<'created' | 'updated'> {
  for (let look = 0; look < mostLooks; look++) {
    const id = await secretId(tx, scope, draft.name)
    if (id !== undefined && (await updateSecret(tx, secrets, id, draft))) return 'updated'
    if (id === undefined && (await insertSecret(tx, secrets, scope, draft))) return 'created'
  }
  throw unavailable('the secret is being changed by others')
}

/** Each further look needs somebody who made or removed the secret since the last one. */
const mostLooks = 20

async function secretId(tx: Tx, scope: Scope, name: string): Promise<number | undefined> {
  const [row] = await tx<{ id: number }[]>`
    select id
    from forge.secret
    where ${inScope(tx, scope)} and name = ${name}`
  return row?.id
}

async function updateSecret(tx: Tx, secrets: Secrets, id: number, draft: SecretDraft): Promise<boolean> {
  const sealed = secrets.seal(draft.data, secretPurpose(id))
  const { count } = await tx`
    update forge.secret
    set sealed = ${sealed}, description = ${draft.description}, updated_at = ${tx.now}
    where id = ${id}`
  return count === 1
}

/** An owner or repository that has gone is told by `secret_owner_known` and `secret_repository_known`. */
async function insertSecret(tx: Tx, secrets: Secrets, scope: Scope, draft: SecretDraft): Promise<boolean> {
  const [{ id }] = await tx<[{ id: number }]>`
    select nextval(pg_get_serial_sequence('forge.secret', 'id')) as id`
  const { count } = await tx`
    insert into forge.secret
      (id, owner_id, repository_id, name, description, sealed, created_at, updated_at)
    values
      (${id}, ${scope.owner_id}, ${scope.repository_id}, ${draft.name}, ${draft.description},
       ${secrets.seal(draft.data, secretPurpose(id))}, ${tx.now}, ${tx.now})
    on conflict on constraint secret_name_unique do nothing`
  return count === 1
}

/** Whether there was one of that name. */
export async function deleteSecret(tx: Tx, scope: Scope, name: string): Promise<boolean> {
  const { count } = await tx`
    delete from forge.secret
    where ${inScope(tx, scope)} and name = ${name}`
  return count === 1
}

/** Whose secrets jobs of a repository are given. */
interface Reaching {
  owner: number
  repository: number
}

/**
 * What jobs of a repository are given, in the clear, by name: the secrets of its owner and its own, which win. One that
 * cannot be opened is left out, with a line in the log; it hides that of the owner all the same, which is another one.
 */
export async function secretsReaching(
  sql: Sql,
  { owner, repository }: Reaching,
  { secrets, log }: { secrets: Secrets; log: Log },
): Promise<Record<string, string>> {
  const rows = await sql<{ id: number; name: string; sealed: Buffer }[]>`
    select id, name, sealed
    from forge.secret
    where owner_id = ${owner} or repository_id = ${repository}
    order by repository_id nulls first, id`
  const opened: Record<string, string> = {}
  for (const { id, name, sealed } of rows) {
    delete opened[name]
    const text = openSecret(secrets, { id, sealed })
    if (typeof text === 'string') opened[name] = text
    else log.error('a secret of Actions cannot be opened', { secret: id, name, error: text.message })
  }
  return opened
}

function openSecret(
  secrets: Secrets,
  { id, sealed }: { id: number; sealed: Buffer },
): string | DecryptionError {
  try {
    return secrets.open(sealed, secretPurpose(id))
  } catch (error) {
    if (error instanceof DecryptionError) return error
    throw error
  }
}
