import type { Git } from '../git/git.ts'
import { done, type GitOutcome } from '../git/outcome.ts'
import type { Repositories } from '../git/repositories.ts'
import { filesBelow, readBlobs, type TreeFile } from '../git/tree.ts'
import type { RepoFacts } from './repo-facts.ts'
import { mostBytes } from './workflow/yaml.ts'

/** Where git and the repositories are. */
export interface Shelf {
  git: Git
  repositories: Repositories
}

/** A workflow file of a commit. */
export interface WorkflowFile {
  /** Its path below the folder of workflows, by which the API knows it. */
  name: string
  /** Its whole path. */
  path: string
  /** Undefined when it is too large to be read. */
  source: string | undefined
}

/** The first of them that a commit has holds all its workflows. */
const folders = ['.gitea/workflows', '.github/workflows'] as const

/** Files that are read of one commit, and what they may come to together. */
const most = { files: 100, bytes: 16 * mostBytes }

/** The directory of a repository. */
export function pathOf(
  { repositories }: Shelf,
  facts: Pick<RepoFacts, 'folder_owner' | 'folder_name'>,
): string {
  return repositories.path({ owner: facts.folder_owner, name: facts.folder_name }) ?? ''
}

/** The workflow files of a commit, sorted by name. Faults: those of git. */
export async function workflowFiles(
  { git }: Shelf,
  path: string,
  commit: string,
): Promise<GitOutcome<WorkflowFile[]>> {
  const listed = await filesBelow(git, path, commit, folders)
  if (!listed.ok) return listed
  const folder = folders.find((each) => listed.value.some((file) => file.path.startsWith(`${each}/`)))
  if (folder === undefined) return done([])
  const files = listed.value
    .filter((file) => file.path.startsWith(`${folder}/`) && /\.ya?ml$/.test(file.path))
    .slice(0, most.files)
  const blobs = await readBlobs(git, path, readable(files), most.bytes + most.files * 100)
  if (!blobs.ok) return blobs
  return done(
    files.map((file) => ({
      name: file.path.slice(folder.length + 1),
      path: file.path,
      source: blobs.value.get(file.id)?.toString('utf8'),
    })),
  )
}

/** The files that are neither too large by themselves nor together. */
function readable(files: readonly TreeFile[]): string[] {
  let left = most.bytes
  return files.flatMap(({ id, size }) => {
    if (size > mostBytes || size > left) return []
    left -= size
    return [id]
  })
}
