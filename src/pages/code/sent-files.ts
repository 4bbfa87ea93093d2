import { readFile } from 'node:fs/promises'
import type { ArrivedFile } from '../../forge/attachments/upload.ts'
import { type Fields, filesField, hiddenFields } from '../form.ts'
import { bytesOf, type Html } from '../html.ts'
import { card } from '../layout.ts'
import { newFormId } from '../operations/once.ts'
import type { Refusal } from '../operations/refusal.ts'
import type { FileLimits } from '../operations/sent-form.ts'
import { commitFields } from './commit-fields.ts'

// Files that are sent to a folder of a branch, as one commit.

/** Together they are in memory while they are committed. */
export const sentFileLimits = (): FileLimits => ({ count: 10, maximum: 4_000_000, requireType: () => {} })

interface Sent {
  values: Fields | undefined
  refusal: Refusal | undefined
}

/** The form that sends files; `address`: of the page of the folder that gets them. */
export function fileSendingForm(address: string, { values, refusal }: Sent): Html {
  const { count, maximum } = sentFileLimits()
  const fault = refusal?.field === 'files' ? refusal.sentence : undefined
  const hint = `At most ${count}, each of at most ${bytesOf(maximum)}. A file that has the same name there is replaced.`
  return card('send', 'Or send files')`<form method="post" enctype="multipart/form-data" action="${address}">
${hiddenFields({ action: 'send', ...newFormId() })}
${filesField({ label: 'Files', hint, fault, isRequired: true })}
${commitFields('send-', values, refusal)}
<button>Send the files</button></form>`
}

/** What a commit does with files that were sent to a folder. */
export const changesOf = (folder: string, files: readonly ArrivedFile[]) =>
  Promise.all(
    files.map(async ({ name, content }) => ({
      operation: 'upload',
      path: folder === '' ? name : `${folder}/${name}`,
      content: await readFile(content.path, 'base64'),
    })),
  )
