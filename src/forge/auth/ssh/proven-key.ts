import { LEVELS } from '../../permissions/access-level-store.ts'
import type { LookupRow } from '../lookup-store.ts'
import type { Proven } from '../password-auth.ts'

/**
 * The account of an SSH key in the rows of a look-up: a user; or for a deploy key the owner of the repository in the path,
 * as in the original, with no right but to that repository.
 */
export function provenByKey(rows: readonly LookupRow[]): Proven | undefined {
  for (const row of rows) {
    if (row.role === 'key') return { row, token: undefined, via: 'key' }
    if (row.role !== 'deploy key' || row.repository?.id !== row.deploy_key.repository) continue
    const level = row.deploy_key.is_read_only ? LEVELS.read : LEVELS.write
    const rights = { is_admin: false, must_change_password: false, repository: { ...row.repository, level } }
    return { row: { ...row, ...rights }, token: undefined, via: 'deploy key' }
  }
  return undefined
}
