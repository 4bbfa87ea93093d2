import { folderOf, type Repository } from '../forge/repos/repo-store.ts'
import type { ForgeTools } from '../forge/route.ts'
import { filesAt, readBlobs, resolveRef } from '../git/repository/tree.ts'
import { Html, html } from './html.ts'

/** Largest file that is rendered, in bytes. */
const maxBytes = 512 * 1024

/** Names of a file that introduces a repository, the best first. */
const names = ['readme.md', 'readme.org', 'readme.markdown', 'readme.rst', 'readme.txt', 'readme']

interface Place {
  row: Repository
  /** `owner/name` as it is shown. */
  path: string
  host: string
  gone: AbortSignal
}

/**
 * The rendered README of the default branch; undefined where there is none, or where it cannot be read or rendered: the
 * page is of use without it.
 */
export async function readmeOf(
  { gitService, renderer }: ForgeTools,
  place: Place,
): Promise<Html | undefined> {
  const { row, path, host, gone } = place
  const directory = row.is_empty ? undefined : gitService.repositories.path(folderOf(row))
  if (directory === undefined) return undefined
  const { git } = gitService
  const commit = await resolveRef(git, directory, `refs/heads/${row.default_branch}`)
  if (!commit.ok || commit.value === undefined) return undefined
  const files = await filesAt(git, directory, commit.value)
  if (!files.ok) return undefined
  const ranked = names.flatMap((name) => files.value.filter((each) => each.path.toLowerCase() === name))
  const file = ranked.find(({ size }) => size <= maxBytes)
  if (!file) return undefined
  const blobs = await readBlobs(git, directory, [file.id], maxBytes + 1024)
  const text = blobs.ok ? blobs.value.get(file.id)?.toString('utf8') : undefined
  if (text === undefined) return undefined
  const outcome = await renderer.render(
    {
      ...{ text, host, wiki: false, knownAccounts: [], decorate: true, filePath: file.path },
      mode: 'file',
      context: `${path}/src/branch/${row.default_branch}`,
    },
    row.owner_id,
    gone,
  )
  // The renderer reduces markup to an allow-list; what it does not know is shown as it stands.
  return 'html' in outcome ? new Html(outcome.html) : html`<pre>${text}</pre>`
}
