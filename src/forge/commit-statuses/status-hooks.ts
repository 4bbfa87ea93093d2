import * as v from 'valibot'
import { BOT_ID } from '../../actions/run/bot.ts'
import type { StoredEvent } from '../../db/outbox-events.ts'
import type { Sql } from '../../db/sql.ts'
import { type Account, accountById } from '../accounts/account.ts'
import { ghost } from '../accounts/ghost.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import { LEVELS } from '../repos/access-level.ts'
import { printRepository } from '../repos/repo.shape.ts'
import { type Repository, repositoryById } from '../repos/repo-store.ts'
import { printUser } from '../users/user.shape.ts'
import { subscribedHooks } from '../webhooks/hook-store.ts'
import type { HookMessage, PayloadCommit } from '../webhooks/payload/payload.ts'
import { commit as commitShape } from '../webhooks/payload/read.ts'
import type { JobStatus, StoredStatus } from './commit-status-store.ts'

/** What hooks are told of a status. `host`: root of links. */
export function statusMessage(
  status: StoredStatus,
  facts: { commit: PayloadCommit | null; row: Repository; owner: Account; sender: Account; host: string },
): HookMessage {
  const { commit, row, owner, sender, host } = facts
  return {
    event: 'status',
    payload: {
      commit,
      context: status.context,
      created_at: printTime(status.created_at, EPOCH),
      description: status.description,
      id: status.id,
      repository: printRepository(row, owner, { host, level: LEVELS.owner, known: false }),
      sender: printUser(sender, undefined, host),
      sha: status.commit_sha,
      state: status.state,
      target_url: status.target_url,
      updated_at: printTime(status.updated_at, EPOCH),
    },
  }
}

/**
 * What hooks are told of statuses that jobs gave their commits; nothing where no hook hears of it. `event`: what caused
 * them. The commit is the one that the push told of, so that nothing is read from the disk.
 */
export async function jobStatusEvents(
  sql: Sql,
  event: StoredEvent,
  statuses: readonly JobStatus[],
  host: string,
): Promise<StoredEvent[]> {
  const told: StoredEvent[] = []
  for (const repository of new Set(statuses.map(({ repository_id }) => repository_id))) {
    const row = await repositoryById(sql, repository)
    const owner = row && (await accountById(sql, row.owner_id))
    if (!owner) continue
    const place = { repository, owner: owner.id }
    if ((await subscribedHooks(sql, 'status', place)).length === 0) continue
    const sender = (await accountById(sql, BOT_ID)) ?? ghost
    const commits = new Map<string, PayloadCommit | null>()
    for (const status of statuses.filter(({ repository_id }) => repository_id === repository)) {
      const sha = status.commit_sha
      const commit = commits.get(sha) ?? (await pushedCommit(sql, repository, sha))
      commits.set(sha, commit)
      const { payload } = statusMessage(status, { commit, row, owner, sender, host })
      told.push({ ...event, kind: 'status', payload: { payload, ...place } })
    }
  }
  return told
}

/** A commit as the push that started its newest run told of it. */
async function pushedCommit(sql: Sql, repository: number, sha: string): Promise<PayloadCommit | null> {
  const [row] = await sql<{ commit: unknown }[]>`
    select payload -> 'head_commit' as commit
    from forge.action_run
    where repository_id = ${repository} and commit_sha = ${sha} and event = 'push'
    order by id desc
    limit 1`
  const read = v.safeParse(commitShape, row?.commit)
  return read.success ? read.output : null
}
