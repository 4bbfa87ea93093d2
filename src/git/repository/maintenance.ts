import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { done, failed } from '../../common/outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import { fault, type GitOutcome } from '../program/outcome.ts'
import { entriesOf } from './files.ts'

/**
 * Packs the objects of a repository and deletes objects that have been unreachable for two weeks; returns whether there
 * was anything to do. Runs in the queue of clones at low priority. Faults: those of git; failed if the configuration of
 * the repository sets a program as `gc.recentObjectsHook` (git-config(1)): git runs all values of that setting, so it
 * cannot be overridden.
 */
export async function packRepository(
  repository: OpenRepository,
  signal: AbortSignal,
): Promise<GitOutcome<boolean>> {
  const { git, directory } = repository
  if (!(await needsPacking(directory))) return done(false)
  const listed = await git.run(directory, ['config', '--includes', '--list', '-z'])
  if (!listed.ok) return listed
  const settings = listed.value.toString('utf8').split('\0')
  if (settings.some((setting) => /^gc\.recentobjectshook\n\s*\S/.test(setting)))
    return fault(
      'failed',
      `${directory} sets gc.recentObjectsHook, and programs set by a repository are not run`,
    )
  const packed = await runInLongQueue(repository, ['gc', '--quiet'], signal)
  return packed.ok ? done(true) : packed
}

/** Checks all objects of a repository; a `failed` fault lists in its log what is broken. Faults: those of git. */
export async function verifyRepository(
  repository: OpenRepository,
  signal: AbortSignal,
): Promise<GitOutcome<void>> {
  return await runInLongQueue(repository, ['fsck', '--no-dangling', '--no-progress'], signal)
}

/** Whether the repository has loose objects or more than one pack (gitrepository-layout(5)). */
async function needsPacking(path: string): Promise<boolean> {
  const objects = await entriesOf(join(path, 'objects'))
  if (objects.some(({ name }) => /^[0-9a-f]{2}$/.test(name))) return true
  const packs = await readdir(join(path, 'objects', 'pack')).catch((): string[] => [])
  return packs.filter((name) => name.endsWith('.pack')).length > 1
}

async function runInLongQueue(
  { git, directory }: OpenRepository,
  args: readonly string[],
  signal: AbortSignal,
): Promise<GitOutcome<void>> {
  const started = await git.stream(directory, args, { signal })
  if (!started.ok) return started
  const { stdin, chunks, ended } = started.value
  stdin.end()
  // The output is for humans only, but git would block if it were not read.
  await chunks(async () => {})
  const { fault } = await ended
  return fault ? failed(fault) : done(undefined)
}
