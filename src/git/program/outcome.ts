import { isDiskFull } from '../../errors.ts'

/** Why git did not do what it was asked to; a route chooses status and sentence by the kind. */
export interface GitFault {
  readonly kind:
    | 'busy' /** every place is taken and the waiting room is full: try again */
    | 'cancelled' /** the caller's signal fired */
    | 'late' /** the time limit passed */
    | 'missing' /** there is no git program */
    | 'gone' /** there is no such repository on disk */
    | 'taken' /** something lies at that path already */
    | 'name' /** owner, repository, branch or path is not a usable name */
    | 'large' /** more output than the caller allowed */
    | 'full' /** the disk has no place left */
    | 'failed' /** git, or the disk, refused */
  /** For the log only: it may hold paths of this machine. */
  readonly log: string
}

/** What a piece of work with git came to. Nothing here throws for what a caller, git or the disk may do wrong. */
export type GitOutcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly fault: GitFault }

export const done = <Value>(value: Value): GitOutcome<Value> => ({ ok: true, value })

export const fault = (
  kind: GitFault['kind'],
  log: string,
): { readonly ok: false; readonly fault: GitFault } => ({
  ok: false,
  fault: { kind, log },
})

/** The fault behind an error of the disk of which nothing more is known. */
export const diskFault = (error: unknown) => fault(isDiskFull(error) ? 'full' : 'failed', String(error))
