import { kinds } from '../../../git/repository/folder.ts'
import { readObject } from '../../../git/repository/objects.ts'
import { gitValue } from '../../repos/code.ts'
import { type ContentsResponse, type EntryFacts, printContents } from '../contents/contents.shape.ts'
import { maxContent } from '../contents/contents-of.ts'
import type { Committed } from './commit-files.ts'
import type { AppliedChange } from './file-change.ts'

/**
 * A file after a commit; null if it was deleted. Does not read from the disk what the request contains.
 * @throws Problem 503
 */
export async function contentsAfter(
  committed: Committed,
  { change, entry, isChanged, blob }: AppliedChange,
): Promise<ContentsResponse | null> {
  if (!entry) return null
  const { code, branch, commit } = committed
  const { path } = change
  const kind = kinds[entry.mode] ?? 'file'
  const isStored = !blob && kind !== 'module'
  const stored = isStored ? gitValue(await readObject(code, entry.id, maxContent)) : undefined
  const content = blob ? change.content : stored?.content
  const size = blob ? change.content.length : stored?.size
  const isWhole = size !== undefined && size <= maxContent
  const facts: EntryFacts = {
    size,
    ...(kind === 'file' && isWhole && { content: content?.toString('base64') }),
    ...(kind === 'link' && { target: content?.toString('utf8') }),
    ...(isChanged && {
      change: {
        last_commit_sha: commit.id,
        last_committer_date: commit.committer.at,
        last_author_date: commit.author.at,
      },
    }),
  }
  const revision = { commit: commit.id, ref: branch, kind: 'branch' as const }
  const name = path.slice(path.lastIndexOf('/') + 1)
  return printContents({ path, name, kind, id: entry.id }, facts, { code, revision, ref: branch })
}
