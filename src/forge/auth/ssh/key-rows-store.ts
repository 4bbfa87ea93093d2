import type { Fragment, Sql } from '../../../db/sql.ts'
import type { Subject } from '../../permissions/repo-lookup-store.ts'

/** What a deploy key opens. */
export interface DeployKeyRights {
  repository: number
  is_read_only: boolean
}

/**
 * Selects the owner of an SSH key by its fingerprint (`lookup-store.ts`): the user, or for a deploy key the owners of the
 * repositories that have it and a name, present or former, of that in the path.
 */
export function keyRows(sql: Sql, fingerprint: string, subject: Subject | undefined): Fragment {
  const name = subject && 'name' in subject ? (subject.repository ?? '') : ''
  return sql`
    select 'key', account_id, id, null::text, null::text, last_used_at
    from forge.ssh_key
    where fingerprint = ${fingerprint}
    union all
    select 'deploy key', repository.owner_id, deploy_key.id, null::text, null::text, deploy_key.last_used_at
    from forge.deploy_key
    join forge.repository on repository.id = deploy_key.repository_id
    where fingerprint = ${fingerprint} and (
      repository.key = ${name}
      or repository.id in (select repository_id from forge.repository_redirect where key = ${name})
    )`
}

/** A column of the look-up: `DeployKeyRights`, or null if the row does not belong to a deploy key. */
export const deployKeyColumn = (sql: Sql): Fragment => sql`
  case when candidate.role = 'deploy key' then (
    select json_build_object('repository', repository_id, 'is_read_only', is_read_only)
    from forge.deploy_key
    where id = candidate.token_id
  ) end as deploy_key,`
