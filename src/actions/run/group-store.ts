import { allRows } from '../../db/rows.ts'
import type { Tx } from '../../db/sql.ts'
import type { Status } from './status.ts'

/**
 * Concurrency groups of attempts and of jobs: in each group of a repository, one member runs at a time. A new member
 * replaces the waiting members of its group, and with `cancel-in-progress` cancels the running one; otherwise it waits
 * for that to end. Jobs of one attempt never cancel each other: they take turns.
 */
export interface Group {
  repository: number
  name: string
}

/** An attempt or a job that is in a group and has not ended. */
interface Member {
  run: number
  attempt: number
  /** Null: the attempt as a whole. */
  job: number | null
  status: Status
  /** Whether it waits for the group. */
  waits: boolean
}

/** Whether the group lets a waiting member start. */
export const isFree = (members: readonly Member[], self: Member) =>
  !members.some((member) => !member.waits && !isOwnAttempt(member, self))

/** Identifies a member. */
export type MemberRef = Pick<Member, 'run' | 'attempt' | 'job'>

export const isSameMember = (member: Member, self: MemberRef) =>
  member.run === self.run && member.job === self.job

export const isSameAttempt = (member: Member, self: MemberRef) =>
  member.run === self.run && member.attempt === self.attempt

/** Whether a member is the attempt of the job `self`: a job does not wait for its own attempt. */
export const isOwnAttempt = (member: Member, self: MemberRef) =>
  self.job !== null && member.job === null && member.run === self.run

export const isIdle = ({ status }: Member) =>
  status === 'queued' || status === 'blocked' || status === 'requested'

/** Serializes changes of a group until the transaction ends. */
export async function lockGroup(tx: Tx, { repository, name }: Group): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`concurrency ${repository} ${name}`}, 0))`
}

/** The members in order of creation; what waits for an approval is none, so that it neither waits for others nor ends them. */
export const membersOf = (tx: Tx, { repository, name }: Group) =>
  allRows(tx<Member[]>`
    select attempt.run_id as run, attempt.number as attempt, null::bigint as job, attempt.status,
      attempt.is_held as waits, attempt.created_at
    from forge.action_attempt as attempt
    join forge.action_run as run on run.id = attempt.run_id
    where attempt.concurrency_group = ${name} and run.repository_id = ${repository} and not run.needs_approval
      and attempt.status not in ('success', 'failure', 'cancelled', 'skipped')
    union all
    select job.run_id, job.attempt, job.id, job.status, job.status = 'blocked', job.created_at
    from forge.action_job as job
    join forge.action_attempt as attempt on attempt.run_id = job.run_id and attempt.number = job.attempt
    where job.repository_id = ${repository} and job.concurrency_group = ${name} and not attempt.is_held
      and job.status not in ('success', 'failure', 'cancelled', 'skipped') and job.status <> 'requested'
    order by created_at, run, job`)
