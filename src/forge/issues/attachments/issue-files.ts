import { extname } from 'node:path'
import { unprocessable } from '../../../http/route/problem.ts'

/** The extensions that files of issues and of comments may have, as in the original. */
export const ISSUE_FILE_TYPES = (
  '.avif .cpuprofile .csv .dmp .docx .fodg .fodp .fods .fodt .gif .gz .jpeg .jpg .json .jsonc .log .md .mov .mp4 ' +
  '.odf .odg .odp .ods .odt .patch .pdf .png .pptx .svg .tgz .txt .webm .webp .xls .xlsx .zip'
).split(' ')

/** How many files a form of a browser sends at once. */
export const MAX_FILES = 5

const allowed: ReadonlySet<string> = new Set(ISSUE_FILE_TYPES)

/** @throws Problem 422 */
export function requireIssueFileType(name: string): void {
  if (allowed.has(extname(name).toLowerCase())) return
  throw unprocessable('This file cannot be uploaded or modified due to a forbidden file extension or type.')
}
