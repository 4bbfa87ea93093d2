import * as v from 'valibot'
import { type EventOf, Pull, type PullFacts } from '../../background/domain-events.ts'
import type { PullEvent } from '../workflow/on.ts'
import type { Json } from '../workflow/values.ts'
import type { TriggerDraft } from './trigger-store.ts'

/** Events of workflows that follow from a change of a pull request. */
export type PullEventName = PullEvent | 'pull_request_review' | 'pull_request_review_comment'

/**
 * The ref and the commits of an event of a pull request: the workflow files are those of the head, of a merged one those of
 * the merge, and for `pull_request_target` those of the base branch, which strangers cannot write. Undefined: there is none.
 */
export function commitsOfPull(
  { pull_request: pull }: EventOf<'pull.changed'>,
  event: PullEventName,
): Pick<TriggerDraft, 'ref' | 'before' | 'after'> | undefined {
  const before = pull.merge_base || null
  if (event !== 'pull_request_target')
    return { ref: `refs/pull/${pull.number}/head`, before, after: pull.merge_commit_sha ?? pull.head.sha }
  if (pull.base.sha === '') return undefined
  return { ref: `refs/heads/${pull.base.ref}`, before, after: pull.base.sha }
}

const OfPull = v.object({ pull_request: Pull })

/** The pull request that an event is about; undefined: it is about none. */
export const pullIn = (payload: Json): PullFacts | undefined =>
  v.is(OfPull, payload) ? payload.pull_request : undefined

/** Whether the head of a pull request is in another repository, or in one that is gone: strangers may have written it. */
export const isFromFork = ({ base, head }: PullFacts): boolean => head.repo_id !== base.repo_id
