import { newestStatuses } from '../../forge/commit-statuses/commit-status-store.ts'
import { LEVELS } from '../../forge/permissions/access-level-store.ts'
import { codeLevel } from '../../forge/pulls/access.ts'
import { autoMergeOf } from '../../forge/pulls/merging/auto-merge-store.ts'
import { type MergeOutlook, mergeOutlook } from '../../forge/pulls/merging/outlook.ts'
import { canPass, type MergeRefusal } from '../../forge/pulls/merging/refusals.ts'
import { statusList } from '../code/status-list.ts'
import { askedForm, buttonForm, type Fields } from '../form.ts'
import { counted, type Html, html, type Piece } from '../html.ts'
import { addressesOf, type IssueContext } from '../issues/issue-context.ts'
import { mayEdit, rightsOn } from '../issues/rights.ts'
import { card } from '../layout.ts'
import { programLines } from '../program-lines.ts'
import type { ShownPull } from './frame.ts'
import { mergeForms } from './merge-form.ts'

/** How many conflicting or protected paths the box names. */
const maxPaths = 10

/** Whether a pull request may be merged, why not, and the forms that merge it or bring it closer; after it, about its branch. */
export async function mergeBox(context: IssueContext, shown: ShownPull, values: Fields): Promise<Html> {
  const { pull, row } = shown
  const { address } = addressesOf(context, row)
  if (pull.state === 'closed') return closedBox(context, shown)
  const outlook = await mergeOutlook(context, row.number, codeLevel(context.caller))
  if (!outlook)
    return card(
      'merge',
      'Merge',
    )`<p>The base branch <code>${pull.base.label}</code> is gone: choose another one.</p>`
  const statuses = await newestStatuses(context.sql, row.repository_id, row.head_commit)
  const scheduled = await autoMergeOf(context.sql, row.id)
  const deletion = {
    isOffered: row.has_head_branch && pull.head.repo_id === pull.base.repo_id,
    isUsual: pull.base.repo?.default_delete_branch_after_merge ?? false,
  }
  return html`${statuses.length === 0 ? undefined : card('checks', 'Checks')`${statusList(statuses)}`}
${card('merge', headingOf(outlook))`<ul class="reasons">${reasonsOf(shown, outlook)}</ul>
${draftForm(context, shown)}
${outlook.facts.conflicts?.length === 0 ? updateForms(context, shown, outlook) : resolution(context, shown)}
${scheduled && waitingMerge(context, address, scheduled.account_id)}
${mergeForms({ address, outlook, canWait: !scheduled && canWait(outlook), head: row.head_commit, deletion, values })}`}`
}

const headingOf = ({ refusals }: MergeOutlook): string => {
  const own = refusals.filter(({ kind }) => kind !== 'not allowed')
  return own.length === 0 ? 'This can be merged' : 'This cannot be merged yet'
}

function reasonsOf(shown: ShownPull, { facts, refusals }: MergeOutlook): Html[] {
  const { approvals, stale_approvals } = facts.reviews
  const against = refusals.map(
    (refusal) => html`<li class="against">${sentenceOf(refusal, shown, facts)}</li>`,
  )
  const isClean = facts.isRelated && facts.conflicts?.length === 0
  const inFavour = [
    isClean ? 'It has no conflicts with the base branch.' : undefined,
    approvals > 0
      ? `${counted(approvals, 'approval')}${stale_approvals > 0 ? `, ${stale_approvals} of an earlier state` : ''}.`
      : undefined,
  ]
  return [
    ...against,
    ...inFavour.flatMap((each) => (each === undefined ? [] : html`<li class="for">${each}</li>`)),
  ]
}

function sentenceOf(
  { kind, sentence }: MergeRefusal,
  { pull }: ShownPull,
  { conflicts = [], behind, reviews, rule }: MergeOutlook['facts'],
): Piece {
  const base = html`<code>${pull.base.label}</code>`
  switch (kind) {
    case 'not allowed':
      return html`You may not merge into ${base}: those who may write to it can.`
    case 'draft':
      return 'It is a draft: its title says that it is not finished.'
    case 'unrelated':
      return html`It has no history in common with ${base}.`
    case 'conflict':
      return html`It conflicts with ${base} in ${conflicts.slice(0, maxPaths).map((path) => html`<code>${path}</code> `)}${conflicts.length > maxPaths ? `and ${conflicts.length - maxPaths} more` : undefined}`
    case 'too much':
      return html`To merge it into ${base} takes more time or memory than git may use here: do it in a clone.`
    case 'checks':
      return html`Checks have to succeed: ${rule?.status_check_contexts.map((each) => html`<code>${each}</code> `)}`
    case 'approvals':
      return html`It has ${reviews.approvals} of ${counted(rule?.required_approvals ?? 0, 'approval')} that it needs${rule?.ignore_stale_approvals && reviews.stale_approvals > 0 ? `; ${reviews.stale_approvals} of an earlier state do not count` : undefined}.`
    case 'rejected':
      return 'A reviewer asks for changes.'
    case 'requested':
      return 'Reviewers who were asked have not answered.'
    case 'outdated':
      return html`It lacks ${counted(behind, 'commit')} of ${base}.`
    case 'protected files':
      return html`It changes files that the rule of ${base} protects: ${rule?.protected_file_patterns.split(';').map((each) => html`<code>${each.trim()}</code> `)}`
    case 'unsigned':
      return html`${base} takes signed commits only, and this server signs none.`
    default:
      return `${sentence}.`
  }
}

const canWait = ({ refusals }: MergeOutlook) =>
  refusals.length > 0 && refusals.every(({ kind }) => canPass(kind))

/** The merge that waits, and the form that cancels it for who has scheduled it and for administrators. */
function waitingMerge({ caller }: IssueContext, address: string, account: number): Html {
  const mayCancel = caller.me && (caller.me.id === account || codeLevel(caller) >= LEVELS.admin)
  const form = buttonForm(address, 'Cancel the scheduled merge', undefined, { action: 'cancel-merge' })
  return html`<p>It is merged as soon as nothing is against it any more.</p>
${mayCancel ? html`<p class="actions">${form}</p>` : undefined}`
}

/** Ends a draft. */
function draftForm(context: IssueContext, { row, pull }: ShownPull): Html | undefined {
  const { address } = addressesOf(context, row)
  if (!pull.draft || !mayEdit(rightsOn(context.caller), context.caller, row.poster_id)) return undefined
  return html`<p class="actions">${buttonForm(address, 'Ready for review', 'Ready for review', { action: 'ready' })}</p>`
}

/** How to merge by hand what conflicts, for those who may push to the head branch. */
function resolution(context: IssueContext, { row, pull: { base, head } }: ShownPull): Html | undefined {
  if (!row.has_head_branch || !head.repo || !base.repo || !mayPushTo(context, { base, head }))
    return undefined
  return programLines(
    'resolve a conflict',
    'Merge it in a clone of the head branch, and push what you have decided:',
    {
      clone: base.repo.clone_url,
      base: base.label,
      head: head.label,
    },
  )
}

/** Whether the reader may push to the head branch, as far as its repository says so. */
const mayPushTo = ({ caller }: IssueContext, { base, head }: Pick<ShownPull['pull'], 'base' | 'head'>) =>
  caller.me !== undefined &&
  (head.repo_id === base.repo_id
    ? !caller.repo.is_archived && codeLevel(caller) >= LEVELS.write
    : head.repo?.permissions.push === true)

/** Brings the base branch into the head branch, in the ways that the repository allows. */
function updateForms(
  context: IssueContext,
  { row, pull }: ShownPull,
  { behind, refusals }: MergeOutlook,
): Html | undefined {
  const { base, head } = pull
  const isSame = head.repo_id === base.repo_id
  if (behind === 0 || !row.has_head_branch || !isSame || !mayPushTo(context, pull)) return undefined
  const isSaid = refusals.some(({ kind }) => kind === 'outdated')
  const { address } = addressesOf(context, row)
  const ways = [
    base.repo?.allow_merge_update &&
      buttonForm(address, 'Update by a merge', 'Update by a merge', {
        action: 'update',
        style: 'merge',
      }),
    base.repo?.allow_rebase_update &&
      buttonForm(address, 'Update by a rebase', 'Update by a rebase', {
        action: 'update',
        style: 'rebase',
      }),
  ]
  return html`${isSaid ? undefined : html`<p>The branch lacks ${counted(behind, 'commit')} of <code>${base.label}</code>.</p>`}
<div class="actions">${ways.map((way) => way || undefined)}</div>`
}

/** What became of it, and forms that delete its branch or make it anew. */
function closedBox(context: IssueContext, { row, pull }: ShownPull): Html {
  const { home, address } = addressesOf(context, row)
  const { merge_commit_sha: commit, merged_by, base, head } = pull
  const isSame = head.repo_id === base.repo_id
  const branch = html`<code>${isSame ? '' : `${head.repo?.owner.login}:`}${head.label}</code>`
  const isDefault = head.repo?.default_branch === head.label
  const form = row.has_head_branch
    ? askedForm({
        address,
        text: 'Delete the branch',
        label: `Delete the branch ${head.label}`,
        question: 'Its commits stay here.',
        answer: 'Delete it',
        fields: { action: 'delete-branch' },
      })
    : buttonForm(address, 'Restore the branch', `Restore the branch ${head.label}`, {
        action: 'restore-branch',
      })
  const isOffered = head.repo && mayPushTo(context, pull) && !isDefault && !head.repo.archived
  return card('merge', pull.merged ? 'Merged' : 'Closed')`${
    pull.merged
      ? html`<p>${merged_by?.login} merged it as <a href="${home}/commit/${commit ?? ''}"><code>${(commit ?? '').slice(0, 10)}</code></a>.</p>`
      : html`<p>It was closed without a merge.</p>`
  }
${isOffered ? html`<div class="actions"><span>The branch ${branch} ${row.has_head_branch ? 'is still there.' : 'is deleted.'}</span> ${form}</div>` : undefined}`
}
