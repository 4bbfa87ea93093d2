import * as v from 'valibot'
import { BOT_ID } from '../../actions/run/bot.ts'
import type { DomainEvent } from '../../background/domain-events.ts'
import type { Sql } from '../../db/sql.ts'
import { type Account, accountById } from '../accounts/account-store.ts'
import { ghost } from '../accounts/ghost.ts'
import { printUser } from '../accounts/user.shape.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { printRepository } from '../repos/repo.shape.ts'
import { type Repository, repositoryById } from '../repos/repo-store.ts'
import { subscribedHooks } from '../webhooks/hook-store.ts'
import type { PayloadCommit } from '../webhooks/payload/payload.ts'
import { type JobStatus, pushedCommit, type StoredStatus } from './commit-status-store.ts'

const person = v.object({ name: v.string(), email: v.string(), username: v.string() })
const paths = v.array(v.string())

/** A commit as the push event of a run has it. */
const PushedCommit: v.GenericSchema<PayloadCommit> = v.object({
  id: v.string(),
  message: v.string(),
  url: v.string(),
  author: person,
  committer: person,
  verification: v.null(),
  timestamp: v.string(),
  added: paths,
  removed: paths,
  modified: paths,
})

/** The event of a new status. `host`: base URL of links. */
export function statusEvent(
  status: StoredStatus,
  facts: { commit: PayloadCommit | null; row: Repository; owner: Account; sender: Account; host: string },
): DomainEvent {
  const { commit, row, owner, sender, host } = facts
  return {
    kind: 'commit_status.created',
    location: { repository: row.id, owner: owner.id },
    commit,
    status,
    repository: printRepository(row, owner, { host, level: LEVELS.owner, known: false }),
    sender: printUser(sender, undefined, host),
  }
}

/**
 * Events of commit statuses of jobs; none if no webhook subscribes to them. The commit comes from the push that started
 * the run, so that git is not queried.
 */
export async function jobStatusEvents(
  sql: Sql,
  statuses: readonly JobStatus[],
  host: string,
): Promise<DomainEvent[]> {
  const events: DomainEvent[] = []
  for (const repository of new Set(statuses.map(({ repository_id }) => repository_id))) {
    const row = await repositoryById(sql, repository)
    const owner = row && (await accountById(sql, row.owner_id))
    if (!owner) continue
    if ((await subscribedHooks(sql, 'status', { repository, owner: owner.id })).length === 0) continue
    const sender = (await accountById(sql, BOT_ID)) ?? ghost
    const commits = new Map<string, PayloadCommit | null>()
    for (const status of statuses.filter(({ repository_id }) => repository_id === repository)) {
      const sha = status.commit_sha
      const commit = commits.get(sha) ?? (await commitOfPush(sql, repository, sha))
      commits.set(sha, commit)
      events.push(statusEvent(status, { commit, row, owner, sender, host }))
    }
  }
  return events
}

/** The commit as recorded in the push event of its newest run. */
async function commitOfPush(sql: Sql, repository: number, sha: string): Promise<PayloadCommit | null> {
  const parsed = v.safeParse(PushedCommit, (await pushedCommit(sql, repository, sha))?.commit)
  return parsed.success ? parsed.output : null
}
