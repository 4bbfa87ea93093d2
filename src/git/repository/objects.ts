import { done } from '../../common/outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import { isObjectId } from '../program/names.ts'
import { fault, type GitOutcome } from '../program/outcome.ts'
import type { Answer, GitObject } from '../program/reader.ts'
import { cachedAnswer, cachedHead, cacheObject, type KnownRepository } from './cache/objects.ts'

/**
 * Reads objects by their ids or other names (gitrevisions(7)) from processes that stay open (`Git.ask`): a question takes
 * a tenth of a millisecond and starts no process. Callers must have checked the parts of names with `names.ts`.
 */

/** Whether a text can be a part of a name: git reads a name up to the end of a line. */
export const isLine = (text: string): boolean => !/[\n\r]/.test(text)

/**
 * Type, size and id of the objects with these names, in their order; undefined where there is none. Faults: those of
 * git.
 */
export async function objectsNamed(
  repository: KnownRepository,
  names: readonly string[],
): Promise<GitOutcome<(GitObject | undefined)[]>> {
  const cached = names.map((name) => cachedHead(repository, name))
  const missing = names.filter((_, at) => !cached[at])
  if (missing.length === 0) return done(cached)
  const read = await objectsOnDisk(repository, missing)
  if (!read.ok) return read
  const rest = read.value.values()
  return done(cached.map((object) => object ?? rest.next().value))
}

/** Like `objectsNamed`, without the cache: for ids of clients, since git may have removed the object. */
export async function objectsOnDisk(
  repository: KnownRepository,
  names: readonly string[],
): Promise<GitOutcome<(GitObject | undefined)[]>> {
  const { git, directory } = repository
  // Commits are small: the process for contents reads them, so that many repositories need no second process.
  const areCommits = names.every((name) => name.endsWith('^{commit}'))
  const read = areCommits
    ? await git.ask(directory, 'content', { names, maxBytes: names.length * smallBytes })
    : await git.ask(directory, 'head', { names, maxBytes: 0 })
  if (!read.ok) return read
  cacheAll(repository, names, read.value)
  // The answer ends after a large content.
  if (read.value.length === names.length) return read
  const further = await objectsOnDisk(repository, names.slice(read.value.length))
  return further.ok ? done([...read.value, ...further.value]) : further
}

/** Maximum bytes of each object on average, if several are read. */
const smallBytes = 64 * 1024

/**
 * The object with this name and the first `maxBytes` of its content; undefined if there is none. For what fits into
 * memory: `blob.ts` reads files of any size. Faults: those of git.
 */
export async function readObject(
  repository: KnownRepository,
  name: string,
  maxBytes: number,
): Promise<GitOutcome<Answer | undefined>> {
  const answers = await readObjects(repository, [name], maxBytes)
  return answers.ok ? done(answers.value[0]) : answers
}

/**
 * The objects with these names and their contents, in their order; undefined where there is none. If the contents that
 * git reads have more than `maxBytes`, the last of them is cut, and those after it are missing. Faults: those of git.
 */
export async function readObjects(
  repository: KnownRepository,
  names: readonly string[],
  maxBytes: number,
): Promise<GitOutcome<(Answer | undefined)[]>> {
  const cached = names.map((name) => cachedAnswer(repository, name))
  const missing = names.filter((_, at) => !cached[at])
  const answers = missing.length === 0 ? done([]) : await ask(repository, missing, maxBytes)
  if (!answers.ok) return answers
  const rest = answers.value.values()
  const cut = (answer: Answer | undefined) =>
    answer && { ...answer, content: answer.content.subarray(0, maxBytes) }
  return done(cached.map((answer) => cut(answer ?? rest.next().value)))
}

async function ask(
  repository: KnownRepository,
  names: readonly string[],
  maxBytes: number,
): Promise<GitOutcome<(Answer | undefined)[]>> {
  const answers = await repository.git.ask(repository.directory, 'content', { names, maxBytes })
  if (answers.ok) cacheAll(repository, names, answers.value)
  return answers
}

function cacheAll(
  repository: KnownRepository,
  names: readonly string[],
  answers: readonly (Answer | undefined)[],
): void {
  for (const [at, answer] of answers.entries()) if (answer) cacheObject(repository, names[at] ?? '', answer)
}

/**
 * The contents of blobs, by id; missing ones are left out. Faults: those of git; large if all have more than
 * `maxBytes`.
 */
export async function readBlobs(
  repository: OpenRepository,
  ids: readonly string[],
  maxBytes: number,
): Promise<GitOutcome<Map<string, Buffer>>> {
  if (!ids.every(isObjectId)) return fault('name', 'not object ids')
  const answers = await readObjects(repository, ids, maxBytes)
  if (!answers.ok) return answers
  const objects = answers.value.flatMap((answer) => answer ?? [])
  const total = objects.reduce((sum, { size }) => sum + size, 0)
  if (total > maxBytes) return fault('large', `the objects have more than ${maxBytes} bytes`)
  return done(new Map(objects.filter(({ type }) => type === 'blob').map(({ id, content }) => [id, content])))
}
