import { isTreePath } from '../../../git/program/names.ts'
import type { ContentsResponse } from './contents.shape.ts'
import { type Asked, contentsOfEntry } from './contents-of.ts'

/** Maximum number of files in one answer. */
const maxFiles = 30
/** Maximum characters of their contents in base64. One file always fits. */
const maxCharacters = 16 * 1024 * 1024

/**
 * Files by their paths, with their contents; null where there is none. The list ends before the answer would be too
 * large. One file is read after another, so that one request does not take all slots of git.
 * @throws Problem 503
 */
export async function contentsOfFiles(
  asked: Asked,
  paths: readonly string[],
): Promise<(ContentsResponse | null)[]> {
  const files: (ContentsResponse | null)[] = []
  let left = maxCharacters
  for (const path of paths.slice(0, maxFiles)) {
    const file = isTreePath(path) ? await contentsOfEntry(asked, path, { content: true, commit: true }) : null
    left -= file?.content?.length ?? 0
    if (left < 0) break
    files.push(file ?? null)
  }
  return files
}
