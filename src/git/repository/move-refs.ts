import { done } from '../../common/outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import { isObjectId, isPushableRef } from '../program/names.ts'
import { fault, type GitOutcome } from '../program/outcome.ts'
import type { MayMove } from '../program/pre-receive.ts'

/** The requested or completed update of one ref. Zeros stand for "nothing": the ref is created or deleted. */
export interface RefUpdate {
  /** Full name: `refs/heads/main`. */
  ref: string
  before: string
  after: string
}

/** The result of a request to move refs. */
type Moving = { kind: 'moved' } | { kind: 'refused'; sentence: string } | { kind: 'outdated' }

/**
 * Moves refs in one transaction of git (git-update-ref(1), `--stdin`): all or none. Git holds the locks of the refs while
 * `mayMove` decides. Outdated: a ref does not point to `before` any more, or conflicts with another (`a` and `a/b`).
 * Faults: name; busy while another process has held the lock of all packed refs for long; those of git.
 * @throws whatever `mayMove` throws; then no ref moves
 */
export async function moveRefs(
  { git, directory }: OpenRepository,
  updates: readonly RefUpdate[],
  mayMove: MayMove,
): Promise<GitOutcome<Moving>> {
  const invalid = updates.find(
    ({ ref, before, after }) => !isPushableRef(ref) || !isObjectId(before) || !isObjectId(after),
  )
  if (invalid) return fault('name', `not an update of a ref: ${JSON.stringify(invalid)}`)
  const commands = updates.map(({ ref, before, after }) => `update ${ref} ${after} ${before}`)
  const moved = await git.transact(directory, commands, mayMove)
  if (moved.ok)
    return done(moved.value === undefined ? { kind: 'moved' } : { kind: 'refused', sentence: moved.value })
  if (isConflict(moved.fault.log)) return done({ kind: 'outdated' })
  return isLocked(moved.fault.log) ? fault('busy', moved.fault.log) : moved
}

/** Whether git has found another object, no ref, a new ref, or a conflicting one. */
const isConflict = (message: string) =>
  /but expected|reference already exists|unable to resolve reference|exists; cannot create|cannot lock ref/.test(
    message,
  )

const isLocked = (message: string) => /packed-refs\.lock': File exists/.test(message)
