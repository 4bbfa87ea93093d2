import * as v from 'valibot'
import type { ChangedFile as Changed } from '../../git/repository/merging/changed-files.ts'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { escapeSegments } from '../protocol/escape-segments.ts'
import type { Code } from '../repos/code.ts'

/** ChangedFile of the original. */
export const ChangedFile = shape('ChangedFile', {
  filename: described(v.string(), 'Its path'),
  previous_filename: v.exactOptional(described(v.string(), 'Its path before; absent: it was not renamed')),
  status: v.picklist(['added', 'deleted', 'changed', 'renamed']),
  additions: described(int, 'Added lines; 0 for a binary file'),
  deletions: described(int, 'Removed lines; 0 for a binary file'),
  changes: described(int, 'Both together'),
  html_url: v.string(),
  contents_url: v.string(),
  raw_url: v.string(),
})
export type ChangedFile = v.InferOutput<typeof ChangedFile>

const statuses = { added: 'added', removed: 'deleted', modified: 'changed', renamed: 'renamed' } as const

/** A changed file; its addresses lead to the commit that has it: a removed one is in the base. */
export function printChangedFile(
  file: Changed,
  { home, api }: Pick<Code, 'home' | 'api'>,
  { base, head }: { base: string; head: string },
): ChangedFile {
  const commit = file.status === 'removed' ? base : head
  const path = escapeSegments(file.path)
  return {
    filename: file.path,
    ...(file.previous !== undefined && { previous_filename: file.previous }),
    status: statuses[file.status],
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    html_url: `${home}/src/commit/${commit}/${path}`,
    contents_url: `${api}/contents/${path}?ref=${commit}`,
    raw_url: `${home}/raw/commit/${commit}/${path}`,
  }
}
