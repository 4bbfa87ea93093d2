import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode } from '../../common/errors.ts'
import { sync } from '../../common/fsync.ts'
import { done } from '../../common/outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import { isBranchName } from '../program/names.ts'
import { diskFault, fault, type GitOutcome } from '../program/outcome.ts'

/** A ref and the object it points to. */
interface Ref {
  /** Full name: `refs/heads/main`. */
  name: string
  /** Object id. */
  id: string
  type: 'commit' | 'tag' | 'tree' | 'blob'
  /** The object that an annotated tag points to; otherwise `id`. */
  peeled: string
}

/** Maximum bytes of a list of refs. */
export const maxRefBytes = 256 * 1024 * 1024

const refLine = /^([0-9a-f]+) (commit|tag|tree|blob) ([0-9a-f]*) (.+)$/

/** All refs below these folders (by default branches and tags), sorted by name. Faults: those of git. */
export async function listRefs(
  { git, directory }: OpenRepository,
  prefixes: readonly ('refs/heads' | 'refs/tags' | 'refs/notes')[] = ['refs/heads', 'refs/tags'],
): Promise<GitOutcome<Ref[]>> {
  const format = '--format=%(objectname) %(objecttype) %(*objectname) %(refname)'
  const listed = await git.run(directory, ['for-each-ref', format, '--', ...prefixes], {
    maxBytes: maxRefBytes,
  })
  if (!listed.ok) return listed
  return done(listed.value.toString('utf8').split('\n').flatMap(refOf))
}

function refOf(line: string): Ref[] {
  const [, id, type, peeled, name] = refLine.exec(line) ?? []
  if (id === undefined || name === undefined) return []
  return [{ name, id, type: type as Ref['type'], peeled: peeled || id }]
}

/** Short name of the branch in `HEAD`, whether or not the branch exists; undefined if there is none. Faults: gone. */
export async function headBranch(path: string): Promise<GitOutcome<string | undefined>> {
  try {
    const name = /^ref: refs\/heads\/(.+)\n?$/.exec(await readFile(join(path, 'HEAD'), 'utf8'))?.[1]
    return done(name !== undefined && isBranchName(name) ? name : undefined)
  } catch (error) {
    return hasCode(error, 'ENOENT', 'ENOTDIR') ? fault('gone', String(error)) : fault('failed', String(error))
  }
}

/**
 * Points `HEAD` to a branch, under the lock that git itself uses (gitrepository-layout(5)). Faults: name; busy while
 * another process holds the lock; gone, full, failed.
 */
export async function setHeadBranch(path: string, branch: string): Promise<GitOutcome<void>> {
  if (!isBranchName(branch)) return fault('name', `not a branch name: ${branch}`)
  const head = join(path, 'HEAD')
  const lock = `${head}.lock`
  try {
    const file = await open(lock, 'wx')
    try {
      await file.writeFile(`ref: refs/heads/${branch}\n`)
      await file.sync()
    } catch (error) {
      await rm(lock, { force: true })
      throw error
    } finally {
      await file.close()
    }
    await rename(lock, head)
    await sync(dirname(head))
    return done(undefined)
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return fault('busy', `${lock} exists`)
    return hasCode(error, 'ENOENT', 'ENOTDIR') ? fault('gone', String(error)) : diskFault(error)
  }
}
