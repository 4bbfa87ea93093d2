import { escapeSegments } from '../../forge/protocol/escape-segments.ts'
import type { OnRepository } from '../../forge/repos/access.ts'
import type { HandlerBase } from '../../http/route/route.ts'
import { type Fields, field, hiddenFields, opened, opener } from '../form.ts'
import { type Html, html } from '../html.ts'
import { fieldsOf, noticeOf } from '../operations/fields.ts'
import { newFormId } from '../operations/once.ts'
import type { Refusal } from '../operations/refusal.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import type { PageTools } from '../route.ts'
import { commitFields } from './commit-fields.ts'
import { fileSendingForm } from './sent-files.ts'

/** What a form changes: a file of a branch, or, without `sha`, a folder that gets one. */
export interface EditedFile {
  branch: string
  path: string
  /** The id of its content; "": it is a folder. */
  sha: string
  /** Undefined: it is no text, or too large for a form. */
  text: string | undefined
  /** The rest of the address that named it. */
  address: string
}

type Context = HandlerBase<PageTools> & { caller: OnRepository }

export interface Shown {
  values?: Fields
  refusal?: Refusal
}

/** The page that changes a file with a commit. */
export async function editPage(
  context: Context,
  file: EditedFile,
  { values, refusal }: Shown = {},
): Promise<string> {
  const { host } = context.from
  const { owner, name } = context.caller.repo
  const address = `${host}${owner.name}/${name}/_edit/${escapeSegments(file.address)}`
  // An empty repository has no branch to go back to.
  const back = `${host}${owner.name}/${name}${file.path === '' ? '' : `/src/branch/${escapeSegments(file.address)}`}`
  const isNew = file.sha === ''
  const heading = isNew ? 'New file' : `Change ${file.path}`
  const folder = file.path === '' ? '' : `${file.path}/`
  const stored = { path: isNew ? folder : file.path, content: file.text, sha: file.sha }
  const isSent = values?.action === 'send'
  const fieldOf = fieldsOf(
    (isSent ? undefined : values) ?? stored,
    isSent ? undefined : refusal,
    isNew ? 'path' : 'content',
  )
  // What a refused form was made from stays: somebody may have changed the file.
  const sha = values?.sha ?? file.sha
  const main = html`<h2>${heading} <span class="quiet-text">on ${file.branch}</span></h2>
${noticeOf(undefined, refusal)}
<form class="card" method="post" action="${address}">
${hiddenFields({ sha, ...newFormId() })}
${field({ ...fieldOf('path'), label: 'Path', hint: isNew ? 'With its folders: docs/notes.md' : 'Another path moves it.' })}
${
  file.text === undefined
    ? html`<p class="empty">This file is no text, or too large for a form: change it in a clone.</p>`
    : html`${field({ ...fieldOf('content'), label: 'Text', isLong: true, rows: 24, isOptional: true })}
${commitFields('', isSent ? {} : values, isSent ? undefined : refusal)}
<div class="actions"><button>Commit</button> <a class="button quiet" href="${back}">Cancel</a></div>`
}
</form>
${isNew ? fileSendingForm(address, isSent ? { values, refusal } : { values: undefined, refusal: undefined }) : deletion(address, file, sha)}`
  return repositoryPage({ ...context, host, current: '', title: heading, main })
}

const deletion = (address: string, { path, branch }: EditedFile, sha: string): Html =>
  html`<div class="actions">${opener(
    'Delete the file',
    `Delete the file ${path}`,
    html`<p>A commit removes it from ${branch}; earlier commits keep it.</p>
${opened(address, { action: 'delete', sha, ...newFormId() })}
<button class="small">Delete the file</button></form>`,
  )}</div>`
