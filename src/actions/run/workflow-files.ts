import { done } from '../../common/outcome.ts'
import type { Git, OpenRepository } from '../../git/program/git.ts'
import { isObjectId } from '../../git/program/names.ts'
import { fault, type GitOutcome } from '../../git/program/outcome.ts'
import { readBlobs, readObject } from '../../git/repository/objects.ts'
import type { Repositories } from '../../git/repository/repositories.ts'
import { listFiles, type TreeFile } from '../../git/repository/tree.ts'
import { maxBytes } from '../workflow/yaml.ts'
import type { RepoFacts } from './repo-facts-store.ts'

/** Git and the repositories to read from. */
export interface WorkflowSource {
  git: Git
  repositories: Repositories
}

/** A workflow file of a commit. */
export interface WorkflowFile {
  /** Path below the workflow folder; the API identifies workflows by it. */
  name: string
  /** Its whole path. */
  path: string
  /** Undefined if the file was not read. */
  source: string | undefined
  /** Why it was not read. */
  fault: string
}

/** Only the first of these folders that a commit contains counts. */
const folders = ['.gitea/workflows', '.github/workflows'] as const

/** Maximum files read of one commit, and their total bytes. */
const limits = { files: 100, bytes: 16 * maxBytes }

/** The repository of the facts; reads of one whose directory cannot have that name fail. */
export function openIn(
  { git, repositories }: WorkflowSource,
  facts: Pick<RepoFacts, 'folder_owner' | 'folder_name'>,
): OpenRepository {
  const place = { owner: facts.folder_owner, name: facts.folder_name }
  return repositories.open(place) ?? { git, directory: '' }
}

/**
 * The workflow files of a commit, sorted by name. Of the files beyond the limit it includes only the first, without its
 * source, to report the others. Faults: those of git.
 */
export async function workflowFiles(
  repository: OpenRepository,
  commit: string,
): Promise<GitOutcome<WorkflowFile[]>> {
  if (!isObjectId(commit)) return fault('name', `not an object id: ${commit}`)
  // Most commits have no such folder, and listing files starts a process of git.
  const hasFolder = await hasWorkflows(repository, commit)
  if (!hasFolder.ok || !hasFolder.value) return hasFolder.ok ? done([]) : hasFolder
  const listed = await listFiles(repository, commit, { folders })
  if (!listed.ok) return listed
  const folder = folders.find((each) => listed.value.some((file) => file.path.startsWith(`${each}/`)))
  if (folder === undefined) return done([])
  const all = listed.value.filter((file) => file.path.startsWith(`${folder}/`) && /\.ya?ml$/.test(file.path))
  const [files, beyond] = [all.slice(0, limits.files), all.slice(limits.files)]
  const blobs = await readBlobs(repository, readable(files), limits.bytes)
  if (!blobs.ok) return blobs
  const workflowFile = (file: TreeFile, source: string | undefined, fault: string): WorkflowFile => {
    return { name: file.path.slice(folder.length + 1), path: file.path, source, fault }
  }
  return done([
    ...files.map((file) =>
      workflowFile(file, blobs.value.get(file.id)?.toString('utf8'), 'the file is too large'),
    ),
    ...beyond.slice(0, 1).map((file) => workflowFile(file, undefined, tooMany(beyond.length))),
  ])
}

async function hasWorkflows(repository: OpenRepository, commit: string): Promise<GitOutcome<boolean>> {
  for (const folder of folders) {
    const object = await readObject(repository, `${commit}:${folder}`, 0)
    if (!object.ok) return object
    if (object.value) return done(true)
  }
  return done(false)
}

const tooMany = (beyond: number) =>
  `the server reads ${limits.files} workflow files of a commit, so not this one and ${beyond - 1} after it`

/** Ids of the files within the limits on each file and on their total. */
function readable(files: readonly TreeFile[]): string[] {
  let remaining = limits.bytes
  return files.flatMap(({ id, size }) => {
    if (size > maxBytes || size > remaining) return []
    remaining -= size
    return [id]
  })
}
