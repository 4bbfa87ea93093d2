import type { Tx } from '../../db/sql.ts'
import { cancelAttempt, cancelJob } from './cancel.ts'
import { moveJobs } from './job-store.ts'
import { releaseAttempt } from './run-store.ts'
import { settle } from './settle.ts'
import type { Status } from './status.ts'

/**
 * Concurrency groups: of an attempt or of a job, one of which runs at a time in a repository. A newcomer takes the place
 * of what waits in its group, and with `cancel-in-progress` ends what runs; otherwise it waits until that has ended.
 * Jobs of one attempt never end each other: they take turns.
 */
export interface Group {
  repository: number
  name: string
}

/** An attempt, or a job, that is in a group and has not ended. */
interface Member {
  run: number
  attempt: number
  /** Null: the attempt as a whole. */
  job: number | null
  status: Status
  /** Waits for its turn. */
  waits: boolean
}

/** Makes room for a newcomer; gives whether it may begin. It is not yet in the group, or waits in it. */
export async function enterGroup(
  tx: Tx,
  group: Group,
  self: { run: number; attempt: number; job: number | null },
  cancels: boolean,
): Promise<boolean> {
  await lockGroup(tx, group)
  for (const member of await membersOf(tx, group)) {
    if (isOwn(member, self) || !(cancels || isIdle(member))) continue
    if (member.job !== null) await cancelJob(tx, member.job)
    else await cancelAttempt(tx, member)
  }
  const left = await membersOf(tx, group)
  return !left.some((member) => !member.waits && !isSame(member, self) && !holdsItself(member, self))
}

/** Lets the next one in, when nobody is there any more. */
export async function leaveGroup(tx: Tx, group: Group): Promise<void> {
  await lockGroup(tx, group)
  const members = await membersOf(tx, group)
  const next = members.find((member) => member.waits && isFree(members, member))
  if (!next) return
  const { run, attempt, job } = next
  if (job === null) await releaseAttempt(tx, run, attempt)
  else await moveJobs(tx, [{ id: job, status: 'waiting' }])
  await settle(tx, run, attempt, { released: job === null })
}

const isFree = (members: readonly Member[], self: Member) =>
  !members.some((member) => !member.waits && !holdsItself(member, self))

type Self = Pick<Member, 'run' | 'attempt' | 'job'>

const isSame = (member: Member, self: Self) => member.run === self.run && member.job === self.job

const isOwn = (member: Member, self: Self) => member.run === self.run && member.attempt === self.attempt

/** A job in the group of its own attempt does not wait for that. */
const holdsItself = (member: Member, self: Self) =>
  self.job !== null && member.job === null && member.run === self.run

const isIdle = ({ status }: Member) => status === 'waiting' || status === 'blocked' || status === 'pending'

/** One who enters or leaves at a time. */
async function lockGroup(tx: Tx, { repository, name }: Group): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`concurrency ${repository} ${name}`}, 0))`
}

/** In the order in which they came. */
async function membersOf(tx: Tx, { repository, name }: Group): Promise<Member[]> {
  return await tx<Member[]>`
    select attempt.run_id as run, attempt.number as attempt, null::bigint as job, attempt.status,
      attempt.is_held as waits, attempt.created_at
    from forge.action_attempt as attempt
    join forge.action_run as run on run.id = attempt.run_id
    where attempt.concurrency_group = ${name} and run.repository_id = ${repository}
      and attempt.status not in ('success', 'failure', 'cancelled', 'skipped')
    union all
    select job.run_id, job.attempt, job.id, job.status, job.status = 'blocked', job.created_at
    from forge.action_job as job
    join forge.action_attempt as attempt on attempt.run_id = job.run_id and attempt.number = job.attempt
    where job.repository_id = ${repository} and job.concurrency_group = ${name} and not attempt.is_held
      and job.status not in ('success', 'failure', 'cancelled', 'skipped') and job.status <> 'pending'
    order by created_at, run, job`
}
