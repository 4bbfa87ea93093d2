import { repoCreateBranch, repoDeleteBranch } from '../../forge/code/branches.ts'
import { pullToMerge } from '../../forge/pulls/merging/merge-store.ts'
import {
  repoCancelScheduledAutoMerge,
  repoMergePullRequest,
  repoUpdatePullRequest,
} from '../../forge/pulls/merging/merges.ts'
import type { StoredPull } from '../../forge/pulls/pull-store.ts'
import { repoEditPullRequest } from '../../forge/pulls/pulls.ts'
import { repoDismissPullReview, repoUnDismissPullReview } from '../../forge/pulls/reviews/dismissals.ts'
import {
  repoCreatePullReviewRequests,
  repoDeletePullReviewRequests,
} from '../../forge/pulls/reviews/requested-reviewers.ts'
import { found } from '../../http/route/problem.ts'
import type { Fields } from '../form.ts'
import { askedOfIssue, type Sent } from '../issues/issue-actions.ts'
import type { IssueContext } from '../issues/issue-context.ts'
import type { Asked, Call } from '../operations/form.ts'
import type { Refusal } from '../operations/refusal.ts'

/** What the forms of a pull request are about. */
interface Place {
  /** The parameters of its operations. */
  params: { owner: string; repo: string; index: number }
  pull: StoredPull
  sql: IssueContext['sql']
}

/** What a form of the page of a pull request asks for: what that of an issue does, or more. @throws Problem 400, 404 */
export async function askedOfPull(
  { caller, sql }: { caller: Parameters<typeof askedOfIssue>[0]; sql: IssueContext['sql'] },
  pull: StoredPull,
  sent: Sent,
): Promise<Asked | Refusal> {
  const { fields } = sent
  const { owner, name } = caller.repo
  const [, action] = Object.entries(actions).find(([each]) => each === fields.action) ?? []
  if (!action) return askedOfIssue(caller, pull, sent)
  const params = { owner: owner.name, repo: name, index: pull.number }
  const call = await action(fields, { params, pull, sql })
  return { calls: [call], leadsTo: `${owner.name}/${name}/pulls/${pull.number}` }
}

const edit = ({ params }: Place, body: object): Call => [repoEditPullRequest, { params, body }]

/** The call that each action makes. */
const actions: Readonly<Record<string, (fields: Fields, place: Place) => Call | Promise<Call>>> = {
  merge: (fields, { params }) => {
    const { style = '', head = '', title = '', message = '', commit = '' } = fields
    const text = { MergeTitleField: title, MergeMessageField: message, MergeCommitID: commit.trim() }
    const flags = {
      delete_branch_after_merge: fields.delete === 'on',
      force_merge: fields.force === 'on',
      merge_when_checks_succeed: fields.wait !== undefined,
    }
    return [repoMergePullRequest, { params, body: { Do: style, head_commit_id: head, ...text, ...flags } }]
  },
  'cancel-merge': (_, { params }) => [repoCancelScheduledAutoMerge, { params }],
  update: ({ style = '' }, { params }) => [repoUpdatePullRequest, { params, query: { style } }],
  base: ({ base = '' }, place) => edit(place, { base }),
  draft: (_, place) => edit(place, { title: `WIP: ${place.pull.title}` }),
  ready: (_, place) => edit(place, { title: place.pull.title.replace(/^(?:WIP:|\[WIP\])\s*/i, '') }),
  maintainers: (fields, place) => edit(place, { allow_maintainer_edit: fields.allow === 'on' }),
  ask: ({ reviewer = '' }, { params }) => [
    repoCreatePullReviewRequests,
    { params, body: reviewersIn(reviewer) },
  ],
  withdraw: ({ reviewer = '' }, { params }) => [
    repoDeletePullReviewRequests,
    { params, body: reviewersIn(reviewer) },
  ],
  dismiss: ({ review = '', message = '' }, { params }) => [
    repoDismissPullReview,
    { params: { ...params, id: review }, body: { message } },
  ],
  undismiss: ({ review = '' }, { params }) => [
    repoUnDismissPullReview,
    { params: { ...params, id: review } },
  ],
  'delete-branch': async (_, place) => {
    const { head_branch } = place.pull
    return [repoDeleteBranch, { params: { ...(await headOf(place)), branch: head_branch } }]
  },
  'restore-branch': async (_, place) => {
    const { head_branch, head_commit } = place.pull
    const body = { new_branch_name: head_branch, old_ref_name: head_commit }
    return [repoCreateBranch, { params: await headOf(place), body }]
  },
}

/** A person, or a team of the organization. */
const reviewersIn = (reviewer: string) =>
  reviewer.startsWith('team:')
    ? { reviewers: [], team_reviewers: [reviewer.slice('team:'.length)] }
    : { reviewers: [reviewer], team_reviewers: [] }

/** The repository of the head. @throws Problem 404 it has been deleted */
async function headOf({ sql, pull }: Place): Promise<{ owner: string; repo: string }> {
  const path = found((await pullToMerge(sql, pull.repository_id, pull.number))?.head_path ?? undefined)
  const [owner = '', repo = ''] = path.split('/')
  return { owner, repo }
}
