import type { Begin, Tx } from '../../db/sql.ts'
import type { RefUpdate } from '../../git/http/http.ts'
import { moveRefs } from '../../git/repository/move-refs.ts'
import { forbidden, found, Problem } from '../../http/route/problem.ts'
import type { Origin } from '../../http/server/origin.ts'
import type { SignedInOnRepository } from '../repos/access.ts'
import { gitValue } from '../repos/code.ts'
import { folderOf, type Repository } from '../repos/repo-store.ts'
import type { GitRequest } from './current-repository.ts'
import { type KnownCommits, readAhead } from './push.ts'
import { pushRules, type Refusal } from './rules.ts'

/** A request of the API that moves refs. */
export interface RefRequest extends Omit<GitRequest, 'row'> {
  begin: Begin
  caller: SignedInOnRepository
  from: Origin
  now: Date
  known?: KnownCommits
  /** Bytes of the files that it has added to the repository, 0 if absent; `unknown`: the repository is measured. */
  written?: number | 'unknown'
  /** Decides in place of the rules of protected branches and tags. */
  refusal?: Refusal
  /** Stores what the move completes, in the transaction that writes the journal. @throws Problem then nothing moves */
  announce?: (tx: Tx) => Promise<void>
}

/** A ref does not point any more to what the caller of the API has read. */
export class RefMoved extends Problem {
  constructor() {
    super(409, 'the branch or tag has been changed meanwhile; read it again')
  }
}

/**
 * Moves refs for a caller of the API as a push does: the same rules, journal, events, webhooks and runs. The objects
 * must be in the repository. All refs move, or none.
 * @throws Problem 403 with the sentence that a git client would print; 404 the repository has gone; 409 a ref does not
 *   point to `before` any more; 503 git is busy
 */
export async function changeRefs(
  request: RefRequest,
  row: Repository,
  updates: readonly RefUpdate[],
): Promise<void> {
  const { published } = await beginChange(request, row, updates)
  await published
}

/** As `changeRefs`, but resolves when the refs have moved. `published` resolves when all effects are stored. */
export async function beginChange(
  request: RefRequest,
  row: Repository,
  updates: readonly RefUpdate[],
): Promise<{ published: Promise<void> }> {
  const { repositories } = request.tools.gitService.forRequest(request.from)
  const repository = found(repositories.open(folderOf(row)))
  const known = request.known ?? readAhead(repository, updates)
  const { written = 0 } = request
  const rules = pushRules({ ...request, row, known, written: written === 'unknown' ? undefined : written })
  const refusal = await rules.check?.(updates, [])
  if (refusal !== undefined) throw forbidden(refusal)
  // After a fault, the push stays in the journal: the refs prove later whether it moved them (`recovery.ts`).
  const moving = moveRefs(repository, updates, rules.mayMove ?? (async () => undefined))
  const result = gitValue(
    await moving.catch(async (error: unknown) => {
      await rules.untouched?.()
      throw error
    }),
  )
  if (result.kind === 'moved') {
    const published = Promise.resolve(rules.updated?.(updates, true))
    // Whoever awaits it sees the error.
    published.catch(() => {})
    return { published }
  }
  await rules.untouched?.()
  if (result.kind === 'refused') throw forbidden(result.sentence)
  throw new RefMoved()
}
