import { closeSync } from 'node:fs'
import type { OpenRepository } from '../program/git.ts'
import { openNameless } from '../program/nameless-file.ts'
import { isObjectId } from '../program/names.ts'
import { done, fault, type GitOutcome } from '../program/outcome.ts'

/**
 * Writes a blob into a file that has no name, and returns its descriptor, which the caller closes. So a client that reads
 * slowly holds neither a git process nor the content in memory. Faults: those of git.
 */
export async function blobFile({ git, directory }: OpenRepository, id: string): Promise<GitOutcome<number>> {
  if (!isObjectId(id)) return fault('name', `not an object id: ${id}`)
  const file = openNameless(git.home)
  if (file === undefined) return fault('failed', `no file can be created in ${git.home}`)
  const written = await git.run(directory, ['cat-file', 'blob', id], { file })
  if (written.ok) return done(file)
  closeSync(file)
  return written
}
