import type { Fragment, Sql } from '../db/sql.ts'
import type { OnSubject } from './access.ts'
import type { OnRepository } from './repo-access.ts'

/** Whose secrets or variables: what jobs in all repositories of an account are given, or those in one repository. */
export interface Holder {
  /** As the audit trail says it. */
  kind: 'organization' | 'user' | 'repository'
  id: number
  name: string
}

/** Whose variables: those of the site are for jobs of everybody. */
export type WideHolder = Holder | typeof everybody

/** Nobody in particular. */
export const everybody = { kind: 'site', name: '' } as const

/** The account that a path is about, or that asks. */
export function holderOf({ kind, id, name }: OnSubject['subject']): Holder {
  return { kind: kind === 'organization' ? kind : 'user', id, name }
}

/** The repository that a path is about. */
export function holderIn({ repo, subject }: OnRepository): Holder {
  return { kind: 'repository', id: repo.id, name: `${subject.name}/${repo.name}` }
}

/** The columns `owner_id` and `repository_id` of what somebody holds. */
export function columnsOf(holder: WideHolder): { owner: number | null; repository: number | null } {
  if (holder.kind === 'site') return { owner: null, repository: null }
  return holder.kind === 'repository'
    ? { owner: null, repository: holder.id }
    : { owner: holder.id, repository: null }
}

/** The condition on those columns, in words that meet the indexes: "is not distinct from" meets none. */
export function heldBy(sql: Sql, holder: WideHolder): Fragment {
  const { owner, repository } = columnsOf(holder)
  return sql`
    ${owner === null ? sql`owner_id is null` : sql`owner_id = ${owner}`}
    and ${repository === null ? sql`repository_id is null` : sql`repository_id = ${repository}`}`
}
