import { pullTemplateOf } from '../../forge/issue-templates/template-files.ts'
import { readableUnits } from '../../forge/permissions/access-level-store.ts'
import type { Sides } from '../../forge/pulls/heads.ts'
import { pullOfPair } from '../../forge/pulls/pull-store.ts'
import type { Code } from '../../forge/repos/code.ts'
import type { Commit } from '../../git/repository/history.ts'
import { type Fields, field, hiddenFields, tick } from '../form.ts'
import { type Html, html, withQuery } from '../html.ts'
import { textField } from '../issues/comment-form.ts'
import { type IssueContext, previewOf } from '../issues/issue-context.ts'
import { issueParts } from '../issues/issue-parts.ts'
import { planFields } from '../issues/plan-fields.ts'
import { rightsOn } from '../issues/rights.ts'
import { filesField } from '../issues/text-files.ts'
import { fieldsOf } from '../operations/fields.ts'
import { newFormId } from '../operations/once.ts'
import type { Refusal } from '../operations/refusal.ts'

interface Proposal {
  /** The address of the comparison. */
  address: string
  /** The repository of the base. */
  own: Code
  sides: Sides
  /** The newest first. */
  commits: readonly Commit[]
  values: Fields
  refusal?: Refusal
  isOpen: boolean
  isPreview?: boolean
}

/** The form that proposes a branch, the pull request that proposes it already, or why nobody can. */
export async function proposalForm(context: IssueContext, proposal: Proposal): Promise<Html | undefined> {
  const { caller, from, sql } = context
  const { own, sides, commits, isOpen } = proposal
  if (!caller.repo.has_pull_requests || caller.repo.is_archived) return undefined
  if (commits.length === 0)
    return html`<p class="card">There is nothing to propose: the base has all commits.</p>`
  if (!caller.me) {
    const next = withQuery(`${from.host}login`, { next: `/${proposal.address.slice(from.host.length)}` })
    return html`<p class="card"><a href="${next}">Sign in</a> to propose this change.</p>`
  }
  const readable = await readableUnits(sql, { repository: own.row.id, account: caller.me.id })
  if (!readable.pulls) return undefined
  const { base, head } = sides
  const other = await pullOfPair(sql, {
    repository: base.row.id,
    base_branch: base.branch,
    head_repository: head.row.id,
    head_branch: head.branch,
  })
  if (other?.closed_at === null)
    return html`<p class="card">It is proposed already: <a href="${own.home}/pulls/${other.number}">${other.title} #${other.number}</a>.</p>`
  return html`<details class="card proposal"${isOpen ? html` open` : undefined}><summary><h3>Propose this change</h3></summary>
${proposal.isPreview ? await previewOf(context, proposal.values.body ?? '') : undefined}
${await fieldsIn(context, proposal)}
</details>`
}

async function fieldsIn(context: IssueContext, proposal: Proposal): Promise<Html> {
  const { caller, sql } = context
  const { address, own, sides, values, refusal } = proposal
  const usual = { ...usualText(proposal), ...values }
  const body = usual.body || (values.title === undefined ? await pullTemplateOf(own) : '')
  const fieldOf = fieldsOf({ ...usual, body }, refusal)
  const isFork = sides.head.row.id !== sides.base.row.id
  const isSent = values.form_id !== undefined
  const parts = rightsOn(caller).writes ? await issueParts(sql, caller) : undefined
  return html`<form class="panel" method="post" enctype="multipart/form-data" action="${address}">
${hiddenFields({ ...newFormId(), is_fork: isFork ? 1 : undefined })}
<div class="column">
${field({ ...fieldOf('title'), label: 'Title' })}
${textField(context, { ...fieldOf('body'), label: 'Text', rows: 10, isOptional: true })}
${filesField(context.tools, refusal)}
${tick({ name: 'draft', label: 'A draft: it is not finished', isOn: values.draft === 'on' })}
${isFork ? tick({ name: 'allow', label: 'Those who may write here push to the branch, too', isOn: isSent ? values.allow === 'on' : true }) : undefined}
<div class="actions"><button>Propose it</button> <button class="quiet" name="preview" value="1" formnovalidate>Preview</button></div>
</div>
${parts && html`<div class="column">${planFields(parts, values, fieldOf('due'))}</div>`}
</form>`
}

/** One commit speaks for itself; more are named by their branch. */
function usualText({ commits, sides }: Proposal): { title: string; body: string } {
  const [only, another] = commits
  if (!only || another) return { title: sides.head.branch.replaceAll(/[-_]+/g, ' '), body: '' }
  const [title = '', ...rest] = only.message.trim().split('\n')
  return { title: title.slice(0, 255), body: rest.join('\n').trim() }
}
