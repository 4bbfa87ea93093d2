import { done } from '../../common/outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import type { GitOutcome } from '../program/outcome.ts'
import { readObject } from './objects.ts'

/** Maximum bytes of `.gitmodules` that are read. */
const maxBytes = 64 * 1024

/**
 * The addresses of the submodules of a commit by their paths, as `.gitmodules` has them (gitmodules(5)). Faults: those of
 * git.
 */
export async function submodulesOf(
  repository: OpenRepository,
  commit: string,
): Promise<GitOutcome<ReadonlyMap<string, string>>> {
  const file = await readObject(repository, `${commit}:.gitmodules`, maxBytes)
  if (!file.ok) return file
  return done(file.value?.type === 'blob' ? submodulesIn(file.value.content.toString('utf8')) : new Map())
}

function submodulesIn(text: string): Map<string, string> {
  const urls = new Map<string, string>()
  // The first part is the text before the first section.
  for (const section of text.split(/^[ \t]*\[/m).slice(1)) {
    const path = valueIn(section, 'path')
    const url = valueIn(section, 'url')
    if (path !== undefined && url !== undefined) urls.set(path, url)
  }
  return urls
}

function valueIn(section: string, name: string): string | undefined {
  const line = section.split('\n').find((each) => each.trim().split('=', 1)[0]?.trim().toLowerCase() === name)
  return line
    ?.slice(line.indexOf('=') + 1)
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .toWellFormed()
}
