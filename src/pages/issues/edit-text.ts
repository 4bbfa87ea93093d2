import { createHash } from 'node:crypto'
import type { Sql, Tx } from '../../db/sql.ts'
import { commentById } from '../../forge/issues/comment-store.ts'
import { issueEditComment } from '../../forge/issues/comments.ts'
import { issueByNumber, lockIssue } from '../../forge/issues/issue-store.ts'
import { issueEditIssue } from '../../forge/issues/issues.ts'
import { numberIn, numberParam, onIssue } from '../../forge/protocol/query.ts'
import type { SignedInOnRepository } from '../../forge/repos/access.ts'
import { issueAuthor, requireAuthorOrWriter } from '../../forge/repos/issue-access.ts'
import { conflict, found } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { textAs } from '../../http/route/sends.ts'
import { type Fields, field, hiddenFields } from '../form.ts'
import { html } from '../html.ts'
import { fieldsOf, noticeOf } from '../operations/fields.ts'
import { type Asked, type FormSender, operationForm, replyToForm } from '../operations/form.ts'
import type { Refusal } from '../operations/refusal.ts'
import { htmlType } from '../profile.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { route } from '../route.ts'
import { bySender, type Sender } from '../session/sender.ts'
import { orSignIn } from '../session/session.ts'
import { textHint } from './comment-form.ts'
import { addressesOf, type IssueContext, previewOf, segmentOf } from './issue-context.ts'

// Pages that change the text of an issue or of a comment.

const shown = { access: orSignIn(issueAuthor()), fails: [404], returns: textAs(200, htmlType) } as const
const form = operationForm(issueAuthor())
const sent = { ...form, fails: [404], also: [200, ...form.also] } as const
const onComment = { ...onIssue, id: numberParam }

export const getIssueEditPage = route('GET /{owner}/{repo}/issues/{index}/edit', {
  ...shown,
  summary: 'The form that changes the title and the text of an issue',
  params: onIssue,
  handler: async ({ params, ...context }) =>
    editPage(context, await textOf(context.sql, context.caller, params), {}),
})

export const editIssueByPage = route('POST /{owner}/{repo}/issues/{index}/edit', {
  ...sent,
  summary: 'Change the title and the text of an issue, or show the text before it is sent',
  params: onIssue,
  handler: (context) => change(context, context.params),
})

export const getCommentEditPage = route('GET /{owner}/{repo}/issues/{index}/comments/{id}/edit', {
  ...shown,
  summary: 'The form that changes a comment',
  params: onComment,
  handler: async ({ params, ...context }) =>
    editPage(context, await textOf(context.sql, context.caller, params), {}),
})

export const editCommentByPage = route('POST /{owner}/{repo}/issues/{index}/comments/{id}/edit', {
  ...sent,
  summary: 'Change a comment, or show it before it is sent',
  params: onComment,
  handler: (context) => change(context, context.params),
})

type Params = { index: string; id?: string }

/** A text that is changed, and where it leads. */
interface Text {
  title: string | undefined
  body: string
  number: number
  is_pull: boolean
  id: number | undefined
}

/** The text of an issue, or of a comment on it. @throws Problem 403 the caller may not change it, 404 */
async function textOf(sql: Sql, caller: SignedInOnRepository, { index, id }: Params): Promise<Text> {
  const { id: repository } = caller.repo
  const issue = found(await issueByNumber(sql, repository, numberIn(index)))
  const comment = id === undefined ? undefined : found(await commentById(sql, repository, numberIn(id)))
  requireAuthorOrWriter(caller, (comment ?? issue).poster_id)
  // A comment on another issue has no page below this one.
  found(comment && comment.issue_id !== issue.id ? undefined : issue)
  const { body } = comment ?? issue
  const { number, is_pull } = issue
  return { title: comment ? undefined : issue.title, body, number, is_pull, id: comment?.id }
}

/** Tells a text from what it is changed to meanwhile. */
const versionOf = ({ title, body }: Pick<Text, 'title' | 'body'>) =>
  createHash('sha256')
    .update(JSON.stringify([title ?? '', body]))
    .digest('base64url')

interface FormState {
  values?: Fields
  refusal?: Refusal
  isPreview?: boolean
}

async function editPage(
  context: IssueContext,
  text: Text,
  { values, refusal, isPreview }: FormState,
): Promise<string> {
  const { address, texts } = addressesOf(context, text)
  const stored = { title: text.title, body: text.body, version: versionOf(text) }
  const fieldOf = fieldsOf(values ?? stored, refusal, 'body')
  const noun = text.id !== undefined ? 'comment' : text.is_pull ? 'pull request' : 'issue'
  const action = text.id === undefined ? `${texts}/edit` : `${texts}/comments/${text.id}/edit`
  const fragment = text.id === undefined ? '' : `#issuecomment-${text.id}`
  const main = html`<h2>Change the ${noun} <a href="${address}${fragment}">#${text.number}</a></h2>
${noticeOf(undefined, refusal)}
${isPreview ? await previewOf(context, values?.body ?? '') : undefined}
<form class="card" method="post" action="${action}">
${hiddenFields({ version: values?.version ?? stored.version })}
${text.title === undefined ? undefined : field({ ...fieldOf('title'), label: 'Title' })}
${field({ ...fieldOf('body'), hasFocus: !isPreview && fieldOf('body').hasFocus, label: 'Text', isLong: true, rows: 12, isOptional: text.id === undefined, hint: textHint })}
<div class="actions"><button>Save</button> <button class="quiet" name="preview" value="1">Preview</button> <a class="button quiet" href="${address}${fragment}">Cancel</a></div>
</form>`
  const title = `Change the ${noun} #${text.number}`
  return repositoryPage({ ...context, host: context.from.host, current: segmentOf(text), title, main })
}

type SentContext = Omit<IssueContext, 'caller'> & {
  caller: Sender<SignedInOnRepository & FormSender>
  body: Fields
}

function change({ caller: sender, body: fields, ...context }: SentContext, params: Params) {
  if (fields.preview !== undefined)
    return bySender(sender, fields, async (caller) => {
      const text = await textOf(context.sql, caller, params)
      const page = await editPage({ ...context, caller }, text, { values: fields, isPreview: true })
      return new ReplyWith(page, { status: 200 })
    })
  return replyToForm(sender, fields, {
    ask: (caller) => askedOf(caller, fields, params),
    again: async (caller, refusal) =>
      editPage({ ...context, caller }, await textOf(context.sql, caller, params), {
        values: fields,
        refusal,
      }),
  })
}

/** The change of a text, which is refused if somebody has changed it since its form was made. */
function askedOf(caller: SignedInOnRepository, fields: Fields, params: Params): Asked {
  const { title = '', body = '', version } = fields
  const { owner, name, id: repository } = caller.repo
  const check = async (tx: Tx) => {
    await lockIssue(tx, repository, numberIn(params.index))
    if (versionOf(await textOf(tx, caller, params)) !== version)
      throw conflict('somebody has changed it since; load its page again, and add what you wrote')
  }
  const segment = segmentOf({ is_pull: caller.repo.unit === 'repo.pulls' })
  const path = `${owner.name}/${name}/${segment}/${params.index}`
  const on = { owner: owner.name, repo: name }
  if (params.id === undefined) {
    const input = { params: { ...on, index: params.index }, body: { title, body } }
    return {
      calls: [[issueEditIssue, input]],
      isAtomic: true,
      check,
      leadsTo: path,
      blame: { title: /\btitle\b/i, body: /\bbody\b/i },
    }
  }
  const input = { params: { ...on, id: params.id }, body: { body } }
  const leadsTo = `${path}#issuecomment-${params.id}`
  return { calls: [[issueEditComment, input]], isAtomic: true, check, leadsTo, blame: { body: /\bbody\b/i } }
}
