import type { Begin } from '../../db/sql.ts'
import type { RefUpdate } from '../../git/http/http.ts'
import { moveRefs } from '../../git/repository/move-refs.ts'
import { conflict, forbidden, found } from '../../http/route/problem.ts'
import type { Origin } from '../../http/server/origin.ts'
import type { SignedInOnRepository } from '../repos/access.ts'
import { problemOf } from '../repos/git-service.ts'
import { folderOf } from '../repos/repo-store.ts'
import type { GitRequest } from './current-repository.ts'
import type { KnownCommits } from './push.ts'
import { pushRules, type Refusal } from './rules.ts'

/** A request of the API that moves refs. */
export interface RefRequest extends GitRequest {
  begin: Begin
  caller: SignedInOnRepository
  from: Origin
  now: Date
  known?: KnownCommits
  /** Decides instead of the rules of protected branches and tags. */
  refusal?: Refusal
}

/**
 * Moves refs for a caller of the API as a push does: the same rules, journal, events, webhooks and runs. The objects
 * must be in the repository. All refs move, or none.
 * @throws Problem 403 with the sentence that a git client would print; 404 the repository has gone; 409 a ref does not
 *   point to `before` any more; 503 git is busy
 */
export async function changeRefs(request: RefRequest, updates: readonly RefUpdate[]): Promise<void> {
  const rules = pushRules(request)
  const refusal = await rules.check?.(updates, [])
  if (refusal !== undefined) throw forbidden(refusal)
  const { repositories } = request.tools.gitService.forRequest(request.from.id)
  const repository = found(repositories.open(folderOf(request.row)))
  const moving = await moveRefs(repository, updates, rules.mayMove ?? (async () => undefined))
  if (moving.ok && moving.value.kind === 'moved') {
    await rules.updated?.(updates, true)
    return
  }
  // What is unknown stays in the journal: the refs prove it later (`recovery.ts`).
  if (!moving.ok) throw problemOf(moving.fault)
  await rules.untouched?.()
  if (moving.value.kind === 'refused') throw forbidden(moving.value.sentence)
  throw conflict('the branch or tag has been changed meanwhile; read it again')
}
