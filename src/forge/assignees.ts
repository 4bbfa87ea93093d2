import type { Sql } from '../db/sql.ts'
import { unprocessable } from '../http/problem.ts'
import { nameKey } from './account.ts'
import { LEVELS, levelIn } from './repo-level.ts'

/** Accounts of an issue at most: more than can care for one. */
const MOST_ASSIGNEES = 100

/**
 * The ids of those who are to care for an issue, in the order of their names in the request, each once. Whoever may
 * write to the issues or the code of the repository can.
 * @throws Problem 422 unknown, or may not
 */
export async function assigneesNamed(
  sql: Sql,
  repository: number,
  names: readonly string[],
): Promise<number[]> {
  const wanted = [...new Set(names.filter((name) => name !== '').map((name) => name.toLowerCase()))]
  if (wanted.length === 0) return []
  if (wanted.length > MOST_ASSIGNEES) throw unprocessable(`an issue has at most ${MOST_ASSIGNEES} assignees`)
  const found = await writersNamed(
    sql,
    repository,
    wanted.flatMap((name) => nameKey(name) ?? []),
  )
  return wanted.map((name) => {
    const account = found.find(({ key }) => key === name)
    if (!account) throw unprocessable(`Assignee does not exist: [name: ${name}]`)
    if (!account.writes) throw unprocessable(`user does not have access to the repository [name: ${name}]`)
    return account.id
  })
}

async function writersNamed(
  sql: Sql,
  repository: number,
  keys: readonly string[],
): Promise<{ id: number; key: string; writes: boolean }[]> {
  const level = (part: 'repo.code' | 'repo.issues') => levelIn(sql, sql`account.id`, part)
  return await sql<{ id: number; key: string; writes: boolean }[]>`
    select account.id, account.key,
      account.is_admin or ${level('repo.issues')} >= ${LEVELS.write} or ${level('repo.code')} >= ${LEVELS.write}
        as writes
    from forge.account
    join forge.repository on repository.id = ${repository}
    where account.key = any(${[...keys]}::text[]) and account.kind <> 'organization'`
}
