import type { Issue } from '../../forge/issues/issue.shape.ts'
import type { OnRepository } from '../../forge/repos/access.ts'
import { type Fields, field, hiddenFields } from '../form.ts'
import { type Html, html, withQuery } from '../html.ts'
import { fieldsOf } from '../operations/fields.ts'
import { newFormId } from '../operations/once.ts'
import type { Refusal } from '../operations/refusal.ts'
import type { PageTools } from '../route.ts'
import { mayAnswer, mayEdit, type Rights } from './rights.ts'
import { filesField } from './text-files.ts'

interface CommentForm {
  host: string
  tools: PageTools
  address: string
  caller: OnRepository
  issue: Issue
  rights: Rights
  /** The form as it was sent. */
  values: Fields
  refusal: Refusal | undefined
  /** The text as it will look. */
  preview: Html | undefined
}

/** The form for a comment, which also closes and opens again; for others, how or why not. */
export function commentForm(parts: CommentForm): Html {
  const { host, tools, address, caller, issue, rights, values, refusal, preview } = parts
  if (!caller.me) {
    const next = withQuery(`${host}login`, { next: `/${address.slice(host.length)}` })
    return html`<p class="card"><a href="${next}">Sign in</a> to answer.</p>`
  }
  if (!mayAnswer(rights, issue)) return html`<p class="card">${whyNot(caller, issue)}</p>`
  const text = fieldsOf(values, refusal)('body')
  return html`${preview}<form class="card" method="post" enctype="multipart/form-data" action="${address}" aria-label="Answer" id="answer" data-then="#answer">
${hiddenFields({ action: 'comment', ...newFormId() })}
${textField({ caller, from: { host } }, { ...text, label: 'Your comment', rows: 6, isOptional: true })}
${filesField(tools, refusal)}
<div class="actions"><button>Comment</button> ${stateButton(parts)}<button class="quiet" name="preview" value="1">Preview</button></div>
</form>`
}

/** The field of a text, whose names and numbers the script of forms completes. */
export const textField = (
  { caller: { repo }, from: { host } }: { caller: Pick<OnRepository, 'repo'>; from: { host: string } },
  { hint = '', ...parts }: Omit<Parameters<typeof field>[0], 'isLong' | 'completions'>,
): Html =>
  field({
    ...parts,
    hint: `Markdown. @name tells somebody, #1 leads to an issue. ${hint}`.trimEnd(),
    isLong: true,
    completions: `${host}${repo.owner.name}/${repo.name}/completions`,
  })

/** A merged pull request stays closed. */
function stateButton({ caller, issue, rights }: CommentForm): Html | undefined {
  if (issue.pull_request?.merged || !mayEdit(rights, caller, issue.user.id)) return undefined
  const [value, text] = issue.state === 'open' ? ['closed', 'Close'] : ['open', 'Open again']
  return html`<button class="quiet" name="state" value="${value}" formnovalidate>${text}</button> `
}

function whyNot({ repo }: OnRepository, { is_locked }: Issue): string {
  if (repo.is_archived) return 'The repository is archived: nobody answers here.'
  return is_locked
    ? 'This is locked: only those who may write to the issues comment.'
    : 'Your access token lets you read only.'
}
