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

/** The webhook message of a status. `host`: base URL of links. */
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
 * Events for webhooks about commit statuses of jobs; none if no webhook subscribes to them. `event`: the event that
 * caused them. The commit comes from the payload of the push, so that git is not queried.
 */
export async function jobStatusEvents(
  sql: Sql,
  event: StoredEvent,
  statuses: readonly JobStatus[],
  host: string,
): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for (const repository of new Set(statuses.map(({ repository_id }) => repository_id))) {
    const row = await repositoryById(sql, repository)
    const owner = row && (await accountById(sql, row.owner_id))
    if (!owner) continue
    const target = { repository, owner: owner.id }
    if ((await subscribedHooks(sql, 'status', target)).length === 0) continue
    const sender = (await accountById(sql, BOT_ID)) ?? ghost
    const commits = new Map<string, PayloadCommit | null>()
    for (const status of statuses.filter(({ repository_id }) => repository_id === repository)) {
      const sha = status.commit_sha
      const commit = commits.get(sha) ?? (await pushedCommit(sql, repository, sha))
      commits.set(sha, commit)
      const { payload } = statusMessage(status, { commit, row, owner, sender, host })
      events.push({ ...event, kind: 'status', payload: { payload, ...target } })
    }
  }
  return events
}

/** The commit as recorded in the push event of its newest run. */
async function pushedCommit(sql: Sql, repository: number, sha: string): Promise<PayloadCommit | null> {
  const [row] = await sql<{ commit: unknown }[]>`
    select payload -> 'head_commit' as commit
    from forge.action_run
    where repository_id = ${repository} and commit_sha = ${sha} and event = 'push'
    order by id desc
    limit 1`
  const parsed = v.safeParse(commitShape, row?.commit)
  return parsed.success ? parsed.output : null
}
