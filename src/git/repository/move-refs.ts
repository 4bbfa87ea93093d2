import { done, failed } from '../../common/outcome.ts'
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

/** Maximum bytes of the answers of git to one transaction. */
const maxAnswerBytes = 64 * 1024

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
  const opened = await git.stream(directory, ['update-ref', '--no-deref', '--stdin'], { kind: 'refs' })
  if (!opened.ok) return opened
  const { stdin, chunks, ended } = opened.value
  let answers = ''
  let refusal: string | undefined
  let failure: { error: unknown } | undefined
  const reading = chunks(async (chunk) => {
    const wasPrepared = answers.includes(prepared)
    answers = (answers + chunk.toString('latin1')).slice(0, maxAnswerBytes)
    if (wasPrepared || !answers.includes(prepared)) return
    const mayCommit = await mayMove({}).then(
      (sentence) => {
        refusal = sentence
        return sentence === undefined
      },
      (error: unknown) => {
        failure = { error }
        return false
      },
    )
    stdin.end(mayCommit ? 'commit\n' : 'abort\n')
  })
  const lines = updates.map(({ ref, before, after }) => `update ${ref} ${after} ${before}\n`)
  stdin.write(['start\n', ...lines, 'prepare\n'].join(''))
  const [end] = await Promise.all([ended, reading])
  if (failure) throw failure.error
  if (refusal !== undefined) return done({ kind: 'refused', sentence: refusal })
  if (answers.includes('commit: ok\n')) return done({ kind: 'moved' })
  if (isConflict(end.fault?.log)) return done({ kind: 'outdated' })
  if (isLocked(end.fault?.log)) return fault('busy', end.fault?.log ?? '')
  return end.fault ? failed(end.fault) : fault('failed', `git answered ${answers}`)
}

const prepared = 'prepare: ok\n'

/** Whether git has found another object, no ref, a new ref, or a conflicting one. */
const isConflict = (message = '') =>
  /but expected|reference already exists|unable to resolve reference|exists; cannot create|cannot lock ref/.test(
    message,
  )

const isLocked = (message = '') => /packed-refs\.lock': File exists/.test(message)
