import { join } from 'node:path'
import { compileGlob } from '../../common/glob.ts'
import { inParallel } from '../../common/in-parallel.ts'
import { isOwnerFolder, isRepositoryFolder } from '../program/names.ts'
import { entriesOf, filesAtOnce } from './files.ts'
import type { RepositoryPath } from './repositories.ts'

/**
 * All directories `<root>/<owner>/<name>.git` that match a filter, in one pass, sorted by owner, then name. The filter
 * is a pattern for owners, or `owner/name` with a pattern for each; an empty one matches all, a malformed one nothing.
 * Names are compared as they are on disk. Links and names that this server would not create are skipped; whether a
 * directory is a git repository is not checked.
 */
export async function scanRepositories(root: string, filter = ''): Promise<RepositoryPath[]> {
  const slash = filter.indexOf('/')
  const matchesOwner = patternOf((slash === -1 ? filter : filter.slice(0, slash)) || '*')
  const matchesName = patternOf((slash === -1 ? '' : filter.slice(slash + 1)) || '*')
  if (!matchesOwner || !matchesName) return []
  const owners = (await entriesOf(root)).filter(
    (entry) => entry.isDirectory() && isOwnerFolder(entry.name) && matchesOwner(entry.name),
  )
  const repositories: RepositoryPath[] = []
  await inParallel(filesAtOnce, owners, async ({ name: owner }) => {
    for (const entry of await entriesOf(join(root, owner))) {
      const name = entry.name.slice(0, -'.git'.length)
      if (!entry.name.endsWith('.git') || !entry.isDirectory() || !isRepositoryFolder(name)) continue
      if (matchesName(name)) repositories.push({ owner, name })
    }
  })
  return repositories.sort((a, b) => compare(a.owner, b.owner) || compare(a.name, b.name))
}

/** Undefined for a malformed pattern, or one that is longer than any name. */
const patternOf = (text: string) => (text.length > 255 ? undefined : compileGlob(text))

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
