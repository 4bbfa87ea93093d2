import { done } from '../../common/outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import { isObjectId } from '../program/names.ts'
import { fault, type GitOutcome } from '../program/outcome.ts'
import { objectsNamed, readObject } from './objects.ts'

/** A note about an object (git-notes(1)). */
interface Note {
  /** Its first `maxNoteBytes`. */
  message: string
  /** Id of the commit that wrote it. */
  commit: string
}

/** Maximum bytes of a note that are read: a note is a file, which has no bound of its own. */
const maxNoteBytes = 1024 * 1024

/** Where git keeps notes. */
const notes = 'refs/notes/commits'

/** The note about a commit; undefined if there is none. Faults: those of git. */
export async function readNote(
  repository: OpenRepository,
  id: string,
): Promise<GitOutcome<Note | undefined>> {
  if (!isObjectId(id)) return fault('name', `not an object id: ${id}`)
  // Git puts many notes into folders.
  const paths = [0, 1, 2, 3].map((folders) => pathOf(id, folders))
  const objects = await objectsNamed(
    repository,
    paths.map((path) => `${notes}:${path}`),
  )
  if (!objects.ok) return objects
  const at = objects.value.findIndex((object) => object?.type === 'blob')
  const blob = objects.value[at]
  const path = paths[at]
  if (!blob || path === undefined) return done(undefined)
  const read = await readObject(repository, blob.id, maxNoteBytes)
  if (!read.ok) return read
  const { git, directory } = repository
  const written = await git.run(directory, ['rev-list', '--max-count=1', notes, '--', path])
  if (!written.ok) return written
  return done({
    message: wholeCharacters(read.value?.content),
    commit: written.value.toString('latin1').trim(),
  })
}

/** Without the part of a character at the end, which a cut leaves. */
const wholeCharacters = (content: Buffer | undefined) => new TextDecoder().decode(content, { stream: true })

/** The first digits, two for each folder, and the rest. */
const pathOf = (id: string, folders: number) =>
  [...Array.from({ length: folders }, (_, at) => id.slice(2 * at, 2 * at + 2)), id.slice(2 * folders)].join(
    '/',
  )
