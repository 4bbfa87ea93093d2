import { createHash } from 'node:crypto'
import type * as v from 'valibot'
import type { Sql, Tx } from '../../db/sql.ts'
import { printAttachment } from '../../forge/attachments/attachment.shape.ts'
import type { StoredAttachment } from '../../forge/attachments/attachment-store.ts'
import type { ArrivedFile } from '../../forge/attachments/upload.ts'
import { lockIssue } from '../../forge/issues/issue-store.ts'
import type { SignedInOnRepository } from '../../forge/repos/access.ts'
import { conflict } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { askedForm, type Fields, field, hiddenFields } from '../form.ts'
import { bytesOf, type Html, html } from '../html.ts'
import { card, listOf } from '../layout.ts'
import { rowOf } from '../list.ts'
import { fieldsOf, noticeOf } from '../operations/fields.ts'
import { type AskedFiles, type Call, type FormSender, replyToForm } from '../operations/form.ts'
import type { Refusal } from '../operations/refusal.ts'
import { formIn, isShownFirst, type sentForm } from '../operations/sent-form.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { bySender, type Sender } from '../sign-in/sender.ts'
import { textField } from './comment-form.ts'
import { type IssueContext, previewOf, segmentOf } from './issue-context.ts'
import { filesField, textWith } from './text-files.ts'

// The page that changes a text of an issue or of a pull request.

/** A text that is changed. */
export interface EditedText {
  noun: 'issue' | 'pull request' | 'comment'
  /** Undefined: it has none. */
  title: string | undefined
  body: string
  /** Of the issue or pull request that has it. */
  number: number
  is_pull: boolean
  /** The path of its form, and that of the page on which it stands. */
  form: string
  page: string
  /** Absent: it has none. */
  files?: readonly StoredAttachment[]
}

/** Tells a text from what it is changed to meanwhile. */
const versionOf = ({ title, body }: Pick<EditedText, 'title' | 'body'>) =>
  createHash('sha256')
    .update(JSON.stringify([title ?? '', body]))
    .digest('base64url')

/** The files of a text, each with a form that deletes it. */
function filesSection(host: string, form: string, files: readonly StoredAttachment[]): Html | undefined {
  if (files.length === 0) return undefined
  const entries = files.map((row) => {
    const { id, name, size, browser_download_url } = printAttachment(row, { host })
    return rowOf(
      html`<a href="${browser_download_url}">${name}</a>`,
      bytesOf(size),
      askedForm({
        address: host + form,
        text: 'Delete',
        label: `Delete ${name}`,
        question: `Delete the file ${name}? Nobody can undo this.`,
        answer: 'Delete the file',
        fields: { action: 'delete-file', file: id },
      }),
    )
  })
  return card('its-files', 'Files')`${listOf(entries, '')}`
}

interface FormState {
  /** What was done to the text just now. */
  done?: string | undefined
  values?: Fields
  refusal?: Refusal
  isPreview?: boolean
}

/** The page with the form that changes a text. */
export async function editorPage(
  context: IssueContext,
  text: EditedText,
  { values, refusal, isPreview, done }: FormState = {},
): Promise<string> {
  const { host } = context.from
  const { noun, number } = text
  const stored = { title: text.title, body: text.body, version: versionOf(text) }
  const fieldOf = fieldsOf(values ?? stored, refusal, 'body')
  const main = html`<h2>Change the ${noun} <a href="${host}${text.page}">#${number}</a></h2>
${noticeOf(isPreview || refusal ? undefined : done, refusal)}
${isPreview ? await previewOf(context, values?.body ?? '') : undefined}
<form class="card" method="post"${text.files && html` enctype="multipart/form-data"`} action="${host}${text.form}">
${hiddenFields({ version: values?.version ?? stored.version })}
${text.title === undefined ? undefined : field({ ...fieldOf('title'), label: 'Title' })}
${textField(context, { ...fieldOf('body'), hasFocus: !isPreview && fieldOf('body').hasFocus, label: 'Text', rows: 12, isOptional: noun !== 'comment' })}
${text.files && filesField(context.tools, refusal)}
<div class="actions"><button>Save</button> <button class="quiet" name="preview" value="1">Preview</button> <a class="button quiet" href="${host}${text.page}">Cancel</a></div>
</form>
${text.files && filesSection(host, text.form, text.files)}`
  const title = `Change the ${noun} #${number}`
  return repositoryPage({ ...context, host, current: segmentOf(text), title, main })
}

type SentContext = Omit<IssueContext, 'caller'> & {
  caller: Sender<SignedInOnRepository & FormSender>
  body: v.InferOutput<typeof sentForm>
}

interface Change {
  /** Reads the text. @throws Problem 403 the caller may not change it, 404 */
  read: (sql: Sql, caller: SignedInOnRepository) => Promise<EditedText>
  /** The call that changes it. */
  call: (caller: SignedInOnRepository, fields: Fields) => Call
  /** The call that deletes a file of it, and the files that a form adds; absent: it has none. */
  files?: {
    deletion: (caller: SignedInOnRepository, file: string) => Call
    added: (
      caller: SignedInOnRepository & FormSender,
      files: readonly ArrivedFile[],
    ) => AskedFiles | undefined
  }
}

/** Changes a text, unless somebody has changed it since its form was made; or shows it before it is sent. */
export function changeText(
  { caller: sender, body: sent, ...context }: SentContext,
  { read, call, files: held }: Change,
) {
  const { fields, files, refusal: refused } = formIn(sent)
  if (isShownFirst(fields))
    return bySender(sender, fields, async (caller) => {
      const text = await read(context.sql, caller)
      const page = await editorPage({ ...context, caller }, text, { values: fields, isPreview: true })
      return new ReplyWith(page, { status: 200 })
    })
  return replyToForm(sender, fields, {
    ask: async (caller) => {
      const { page, number, form } = await read(context.sql, caller)
      if (refused) return refused
      if (held && fields.action === 'delete-file')
        return { calls: [held.deletion(caller, fields.file ?? '')], leadsTo: `${form}?done=file-deleted` }
      const check = async (tx: Tx) => {
        await lockIssue(tx, caller.repo.id, number)
        if (versionOf(await read(tx, caller)) !== fields.version)
          throw conflict('somebody has changed it since; load its page again, and add what you wrote')
      }
      return {
        calls: [call(caller, { ...fields, body: textWith(fields.body ?? '', files) })],
        isAtomic: true,
        files: held?.added(caller, files),
        check,
        leadsTo: page,
        blame: { title: /\btitle\b/i, body: /\bbody\b/i },
      }
    },
    again: async (caller, refusal) =>
      editorPage({ ...context, caller }, await read(context.sql, caller), { values: fields, refusal }),
  })
}
