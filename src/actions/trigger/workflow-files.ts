import type { Git } from '../../git/program/git.ts'
import { done, type GitOutcome } from '../../git/program/outcome.ts'
import type { Repositories } from '../../git/repository/repositories.ts'
import { filesBelow, readBlobs, type TreeFile } from '../../git/repository/tree.ts'
import type { RepoFacts } from '../run/repo-facts.ts'
import { mostBytes } from '../workflow/yaml.ts'

/** Where git and the repositories are. */
export interface WorkflowSource {
  git: Git
  repositories: Repositories
}

/** A workflow file of a commit. */
export interface WorkflowFile {
  /** Its path below the folder of workflows, by which the API knows it. */
  name: string
  /** Its whole path. */
  path: string
  /** Undefined when it is not read. */
  source: string | undefined
  /** Why it is not read. */
  fault: string
}

/** The first of them that a commit has holds all its workflows. */
const folders = ['.gitea/workflows', '.github/workflows'] as const

/** Files that are read of one commit, and what they may come to together. */
const most = { files: 100, bytes: 16 * mostBytes }

/** The directory of a repository. */
export function pathOf(
  { repositories }: WorkflowSource,
  facts: Pick<RepoFacts, 'folder_owner' | 'folder_name'>,
): string {
  return repositories.path({ owner: facts.folder_owner, name: facts.folder_name }) ?? ''
}

/**
 * The workflow files of a commit, sorted by name. Of those beyond the bound the first one stands for all, unread, so that
 * somebody hears of them. Faults: those of git.
 */
export async function workflowFiles(
  { git }: WorkflowSource,
  path: string,
  commit: string,
): Promise<GitOutcome<WorkflowFile[]>> {
  const listed = await filesBelow(git, path, commit, folders)
  if (!listed.ok) return listed
  const folder = folders.find((each) => listed.value.some((file) => file.path.startsWith(`${each}/`)))
  if (folder === undefined) return done([])
  const all = listed.value.filter((file) => file.path.startsWith(`${folder}/`) && /\.ya?ml$/.test(file.path))
  const [files, beyond] = [all.slice(0, most.files), all.slice(most.files)]
  const blobs = await readBlobs(git, path, readable(files), most.bytes + most.files * 100)
  if (!blobs.ok) return blobs
  const fileOf = (file: TreeFile, source: string | undefined, fault: string): WorkflowFile => {
    return { name: file.path.slice(folder.length + 1), path: file.path, source, fault }
  }
  return done([
    ...files.map((file) => fileOf(file, blobs.value.get(file.id)?.toString('utf8'), 'the file is too large')),
    ...beyond.slice(0, 1).map((file) => fileOf(file, undefined, tooMany(beyond.length))),
  ])
}

const tooMany = (beyond: number) =>
  `of the workflow files of a commit ${most.files} are read; this one and ${beyond - 1} after it are not`

/** The files that are neither too large by themselves nor together. */
function readable(files: readonly TreeFile[]): string[] {
  let left = most.bytes
  return files.flatMap(({ id, size }) => {
    if (size > mostBytes || size > left) return []
    left -= size
    return [id]
  })
}
