import * as v from 'valibot'
import type { Tx } from '../../db/sql.ts'
import { type ArrivedFile, type ChangedHolder, insertFiles } from '../../forge/attachments/upload.ts'
import { commentFilesToChange, issueFilesToChange } from '../../forge/issues/attachments/files-to-change.ts'
import {
  ISSUE_FILE_TYPES,
  MAX_FILES,
  requireIssueFileType,
} from '../../forge/issues/attachments/issue-files.ts'
import type { SignedInOnRepository } from '../../forge/repos/access.ts'
import { filesField as anyFilesField } from '../form.ts'
import { bytesOf, type Html } from '../html.ts'
import type { AskedFiles } from '../operations/form.ts'
import type { OnRequest } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import type { FileLimits } from '../operations/sent-form.ts'
import { isPicture } from '../releases/file-list.ts'
import type { PageTools } from '../route.ts'

// Files that are sent with the texts of issues, pull requests and comments.

export const textFileLimits = ({ uploadLimits }: Pick<PageTools, 'uploadLimits'>): FileLimits => ({
  count: MAX_FILES,
  maximum: uploadLimits.issue,
  requireType: requireIssueFileType,
})

/** The field for files of a text. */
export function filesField(tools: Pick<PageTools, 'uploadLimits'>, refusal: Refusal | undefined): Html {
  const { count, maximum } = textFileLimits(tools)
  return anyFilesField({
    label: 'Files',
    hint: `At most ${count}, each of at most ${bytesOf(maximum)}. ${howTextsShow}`,
    accept: ISSUE_FILE_TYPES.join(),
    fault: refusal?.field === 'files' ? refusal.sentence : undefined,
  })
}

/** How a text shows a picture that is sent with it. */
export const howTextsShow = 'A text shows a picture where it has its name: ![](name.png)'

/**
 * A text in which the names of files that are sent with it (`![a crack](crack.png)`) are the addresses of these; where
 * nothing is written, the files are the text.
 */
export function textWith<File extends Pick<ArrivedFile, 'name' | 'uuid'>>(
  text: string,
  files: readonly File[],
  addressOf: (file: File) => string = attachmentAddress,
): string {
  if (files.length === 0) return text
  if (text.trim() === '') return files.map((file) => reference(file.name, addressOf(file))).join('\n')
  return text.replace(/\]\(([^()\s]+)\)/g, (whole, name: string) => {
    const file = files.find((each) => each.name === name || nameIn(each.name) === name)
    return file ? `](${addressOf(file)})` : whole
  })
}

const attachmentAddress = ({ uuid }: Pick<ArrivedFile, 'uuid'>) => `/attachments/${uuid}`

/** The name of a file as the destination of a link has it. */
const nameIn = (name: string) => encodeURIComponent(name).replaceAll('(', '%28').replaceAll(')', '%29')

function reference(name: string, address: string): string {
  const text = name.replace(/[[\]\\]/g, '\\$&')
  return `${isPicture(name) ? '!' : ''}[${text}](${address})`
}

type Sender = SignedInOnRepository & OnRequest

/** Files of the issue or pull request that a form opens. */
export const filesOfNewIssue = (who: Sender, files: readonly ArrivedFile[]): AskedFiles | undefined =>
  storedWith(who, files, (tx, [made]) => {
    const { number } = v.parse(v.object({ number: v.number() }), made)
    return issueFilesToChange(contextOf(tx, who, { index: String(number) }))
  })

/** Files of the comment that a form makes. */
export const filesOfNewComment = (who: Sender, files: readonly ArrivedFile[]): AskedFiles | undefined =>
  storedWith(who, files, (tx, [made]) => {
    const { id } = v.parse(v.object({ id: v.number() }), made)
    return commentFilesToChange(contextOf(tx, who, { id: String(id) }))
  })

/** Files of an issue, or of a comment (`id`), that is there. */
export const filesOfText = (
  who: Sender,
  files: readonly ArrivedFile[],
  { index, id }: { index: string; id?: string },
): AskedFiles | undefined =>
  storedWith(who, files, (tx) =>
    id === undefined
      ? issueFilesToChange(contextOf(tx, who, { index }))
      : commentFilesToChange(contextOf(tx, who, { id })),
  )

const contextOf = <Params>(tx: Tx, who: Sender, params: Params) => ({
  ...who.request,
  sql: tx,
  begin: tx.nested,
  caller: who,
  params,
})

function storedWith(
  who: Sender,
  files: readonly ArrivedFile[],
  holderOf: (tx: Tx, results: readonly unknown[]) => Promise<ChangedHolder>,
): AskedFiles | undefined {
  if (files.length === 0) return undefined
  const { tools, from } = who.request
  return {
    contents: files.map(({ content }) => content),
    store: async (tx, results) =>
      insertFiles(tx, { caller: who, tools, from }, await holderOf(tx, results), files),
  }
}
