import { type Paging, pageOf } from '../../db/page.ts'
import { allRows, anyRow, firstRow, onlyRow } from '../../db/rows.ts'
import type { Fragment, Sql, Tx } from '../../db/sql.ts'
import { LEVELS, levelIn, unitOfIssue } from '../permissions/access-level-store.ts'
import type { Reader } from '../repos/visibility.ts'
import { readableIssue } from './issue-conditions-store.ts'
import { type IssueWithRepository, issuesWithRepository } from './issue-store.ts'

/** What an issue waits for, or what waits for it. */
export type Relation = 'dependencies' | 'blocks'

/** The reader, and the repository and the kind of the issue in the path, which the reader may read. */
export interface RelationReader {
  reader: Reader
  repository: number
  isPull: boolean
}

/** Whether the reader may read an `issue` of a `repository`. */
const readable = (sql: Sql, { reader, repository, isPull }: RelationReader): Fragment => sql`
  repository.state = 'ready' and (
    (repository.id = ${repository} and issue.is_pull = ${isPull})
    or (${readableIssue(sql, reader)})
  )`

/** A page of the issues in a relation to one, the oldest first, without those that the reader may not read. */
export function pageOfRelated(
  sql: Sql,
  by: RelationReader,
  { issue, relation }: { issue: number; relation: Relation },
  paging: Paging,
) {
  const [one, other] =
    relation === 'dependencies' ? [sql`issue_id`, sql`dependency_id`] : [sql`dependency_id`, sql`issue_id`]
  return pageOf<IssueWithRepository>(sql, paging, {
    from: sql`
      from forge.issue_dependency
      join forge.issue on issue.id = issue_dependency.${other}
      join forge.repository on repository.id = issue.repository_id
      where issue_dependency.${one} = ${issue} and ${readable(sql, by)}`,
    keys: sql`issue.id`,
    rows: issuesWithRepository(sql, sql`page join forge.issue using (id)`),
    by: sql`order by id`,
  })
}

/** Those of these issues that the reader may read. */
export const readableIssues = (sql: Sql, by: RelationReader, ids: readonly number[]) =>
  allRows(sql<IssueWithRepository[]>`
    ${issuesWithRepository(sql, sql`forge.issue`)}
    where issue.id = any(${[...ids]}::bigint[]) and ${readable(sql, by)}`)

/** Only one transaction at a time changes dependencies, so that two together do not create a cycle. */
export async function lockDependencies(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended('issue dependencies', 0))`
}

/** Locks an issue of any repository that the reader may read, by the keys of owner and repository. */
export function lockIssueElsewhere(
  tx: Tx,
  by: RelationReader,
  { owner, repo, index }: { owner: string; repo: string; index: number },
) {
  const { me } = by.reader
  const writes = me?.is_admin
    ? tx`true`
    : tx`coalesce(${levelIn(tx, tx`${me?.id ?? 0}::bigint`, unitOfIssue(tx))}, 0) >= ${LEVELS.write}`
  return firstRow(tx<{ id: number; repository_id: number; is_archived: boolean; writes: boolean }[]>`
    select issue.id, issue.repository_id, repository.is_archived, ${writes} as writes
    from forge.account as owner
    join forge.repository on repository.owner_id = owner.id
    join forge.issue on issue.repository_id = repository.id
    where owner.key = ${owner} and repository.key = ${repo} and issue.number = ${index} and ${readable(tx, by)}
    for no key update of issue`)
}

/** Whether an issue waits for another one, directly or through others. */
export const waitsFor = (sql: Sql, issue: number, other: number) =>
  anyRow(sql`
    with recursive waiting as (
      select ${issue}::bigint as id
      union
      select dependency_id
      from waiting
      join forge.issue_dependency on issue_id = waiting.id
    )
    select from waiting
    where id = ${other}`)

/** How many issues an issue waits for. */
export async function countDependencies(sql: Sql, issue: number): Promise<number> {
  const { total } = await onlyRow(sql<[{ total: number }]>`
    select count(*) as total
    from forge.issue_dependency
    where issue_id = ${issue}`)
  return total
}

/** Whether an issue waits for one that is open. */
export const hasOpenDependency = (sql: Sql, issue: number) =>
  anyRow(sql`
    select from forge.issue_dependency
    join forge.issue on issue.id = dependency_id
    where issue_id = ${issue} and closed_at is null
    limit 1`)

/** False: it waits for that one already. */
export const insertDependency = (tx: Tx, issue: number, dependency: number) =>
  anyRow(tx`
    insert into forge.issue_dependency (issue_id, dependency_id, created_at)
    values (${issue}, ${dependency}, ${tx.now})
    on conflict on constraint issue_dependency_pkey do nothing`)

/** False: it did not wait for that one. */
export const deleteDependency = (tx: Tx, issue: number, dependency: number) =>
  anyRow(tx`
    delete from forge.issue_dependency
    where issue_id = ${issue} and dependency_id = ${dependency}`)
