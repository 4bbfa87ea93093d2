import { existsSync } from 'node:fs'
import { isDiskFull } from '../../common/errors.ts'
import { failed, type Outcome } from '../../common/outcome.ts'

/** Why an operation with git failed; a route chooses status and sentence by the kind. */
export interface GitFault {
  readonly kind:
    | 'busy' /** all slots are in use and the queue is full: try again */
    | 'cancelled' /** the caller's signal fired */
    | 'late' /** the time limit passed */
    | 'missing' /** there is no git program */
    | 'old' /** this version of git lacks a command */
    | 'gone' /** there is no such repository on disk */
    | 'taken' /** the path already exists */
    | 'name' /** owner, repository, branch or path is not a usable name */
    | 'large' /** more output than the caller allowed */
    | 'heavy' /** it needs more memory than git may use */
    | 'full' /** the disk is full */
    | 'failed' /** git or the file system failed */
  /** For the log only: it may contain paths of this machine. */
  readonly log: string
}

/** Errors of callers, git or the disk are returned, not thrown. */
export type GitOutcome<Value> = Outcome<Value, GitFault>

/** Whether git needs more time, memory or output than it may have; the same may fail again. */
export const isTooMuch = ({ kind }: GitFault): boolean => ['late', 'heavy', 'large'].includes(kind)

export const fault = (kind: GitFault['kind'], log: string) => failed<GitFault>({ kind, log })

/** The fault of a repository that lacks what it must have: it is gone if it was removed or moved while it was read. */
export const incomplete = (directory: string, log: string) =>
  existsSync(directory) ? fault('failed', log) : fault('gone', `${directory} does not exist any more`)

/** The outcome of work with the objects of another repository, which may have been removed or moved meanwhile. */
export const orGone = <Value>(outcome: GitOutcome<Value>, source: string): GitOutcome<Value> =>
  !outcome.ok && outcome.fault.kind === 'failed' ? incomplete(source, outcome.fault.log) : outcome

/** The fault for an unexpected error of the file system. */
export const diskFault = (error: unknown) => fault(isDiskFull(error) ? 'full' : 'failed', String(error))
