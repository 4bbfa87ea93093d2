import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Git } from '../program/git.ts'
import { done, fault, type GitOutcome } from '../program/outcome.ts'
import { entriesOf } from './files.ts'

/**
 * Packs the objects of a repository together and drops what nothing has named for two weeks, where there is anything to
 * gain; gives whether there was. In one of the places of clones, behind everything else on the machine. Faults: those of git;
 * failed where the configuration of the repository names a program for `gc.recentObjectsHook` (git-config(1)). Git runs
 * all values of that setting, so ours cannot outrank it.
 */
export async function packRepository(
  git: Git,
  path: string,
  signal: AbortSignal,
): Promise<GitOutcome<boolean>> {
  if (!(await isScattered(path))) return done(false)
  const listed = await git.run(path, ['config', '--includes', '--list', '-z'])
  if (!listed.ok) return listed
  const settings = listed.value.toString('utf8').split('\0')
  if (settings.some((setting) => /^gc\.recentobjectshook\n\s*\S/.test(setting)))
    return fault('failed', `${path} sets gc.recentObjectsHook, and no program of a repository is run`)
  const packed = await runPatiently(git, path, ['gc', '--quiet'], signal)
  return packed.ok ? done(true) : packed
}

/** Reads all objects of a repository; what is broken is the log of a `failed` fault. Faults: those of git. */
export async function verifyRepository(
  git: Git,
  path: string,
  signal: AbortSignal,
): Promise<GitOutcome<void>> {
  return await runPatiently(git, path, ['fsck', '--no-dangling', '--no-progress'], signal)
}

/** Whether objects lie loose, or in more than one pack (gitrepository-layout(5)). */
async function isScattered(path: string): Promise<boolean> {
  const objects = await entriesOf(join(path, 'objects'))
  if (objects.some(({ name }) => /^[0-9a-f]{2}$/.test(name))) return true
  const packs = await readdir(join(path, 'objects', 'pack')).catch((): string[] => [])
  return packs.filter((name) => name.endsWith('.pack')).length > 1
}

async function runPatiently(
  git: Git,
  path: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<GitOutcome<void>> {
  const started = await git.stream(path, args, { signal })
  if (!started.ok) return started
  const { stdin, pieces, ended } = started.value
  stdin.end()
  // What it says there is for people; it waits when nobody reads it.
  await pieces(async () => {})
  const { fault } = await ended
  return fault ? { ok: false, fault } : done(undefined)
}
