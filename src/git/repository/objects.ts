import { done } from '../../outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import { isObjectId } from '../program/names.ts'
import { fault, type GitOutcome } from '../program/outcome.ts'
import type { Answer, GitObject } from '../program/reader.ts'

/**
 * Objects by their ids or other names (gitrevisions(7)), read by processes that stay open (`Git.ask`): a question takes
 * a tenth of a millisecond and starts no process. Callers must have checked the parts of names with `names.ts`.
 */

/**
 * Type, size and id of the objects with these names, in their order; undefined where there is none. Faults: those of
 * git.
 */
export async function objectsNamed(
  { git, directory }: OpenRepository,
  names: readonly string[],
): Promise<GitOutcome<(GitObject | undefined)[]>> {
  if (names.length === 0) return done([])
  return git.ask(directory, 'head', { names, maxBytes: 0 })
}

/**
 * The object with this name and the first `maxBytes` of its content; undefined if there is none. For what fits into
 * memory: `blob.ts` reads files of any size. Faults: those of git.
 */
export async function readObject(
  { git, directory }: OpenRepository,
  name: string,
  maxBytes: number,
): Promise<GitOutcome<Answer | undefined>> {
  const answers = await git.ask(directory, 'content', { names: [name], maxBytes })
  return answers.ok ? done(answers.value[0]) : answers
}

/**
 * The contents of blobs, by id; missing ones are left out. Faults: those of git; large if all have more than
 * `maxBytes`.
 */
export async function readBlobs(
  { git, directory }: OpenRepository,
  ids: readonly string[],
  maxBytes: number,
): Promise<GitOutcome<Map<string, Buffer>>> {
  if (ids.length === 0) return done(new Map())
  if (!ids.every(isObjectId)) return fault('name', 'not object ids')
  const answers = await git.ask(directory, 'content', { names: ids, maxBytes })
  if (!answers.ok) return answers
  const last = answers.value.at(-1)
  if (last && last.content.length < last.size)
    return fault('large', `the objects have more than ${maxBytes} bytes`)
  const blobs = answers.value.filter((answer) => answer?.type === 'blob')
  return done(new Map(blobs.flatMap((blob) => (blob ? [[blob.id, blob.content]] : []))))
}
