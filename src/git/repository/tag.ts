import { done } from '../../common/outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import { isBranchName, isObjectId } from '../program/names.ts'
import { fault, type GitOutcome } from '../program/outcome.ts'
import { maxCommitBytes, maxMessageLength, partsOf, type Stamp, stampOf } from './commit.ts'
import { type Signature, signatureLine } from './first-commit.ts'
import { readObject, readObjects } from './objects.ts'
import { formatOf, newObject, writeObjects } from './write-objects.ts'

/** The content of an annotated tag. */
export interface TagObject {
  id: string
  name: string
  /** Id of the object that it points to, which may be another tag. */
  object: string
  tagger: Stamp
  /** Without the signature of a signed tag. */
  message: string
  /** The signature of a signed tag, the bytes that it signs, and these as text; all empty for any other. */
  signature: string
  signed: Buffer
  payload: string
}

/** The annotated tag with this id; undefined if it is none. Faults: those of git. */
export async function readTagObject(
  repository: OpenRepository,
  id: string,
): Promise<GitOutcome<TagObject | undefined>> {
  if (!isObjectId(id)) return fault('name', `not an object id: ${id}`)
  const read = await readObject(repository, id, maxCommitBytes)
  if (!read.ok) return read
  return done(read.value?.type === 'tag' ? { id, ...tagIn(read.value.content) } : undefined)
}

/** Maximum bytes of tags that are read together. */
const maxTagsBytes = 8 * 1024 * 1024

/** The annotated tags with these ids, in their order; those that are missing or too many are left out. Faults: those of git. */
export async function readTagObjects(
  repository: OpenRepository,
  ids: readonly string[],
): Promise<GitOutcome<TagObject[]>> {
  if (ids.length === 0) return done([])
  if (!ids.every(isObjectId)) return fault('name', 'not object ids')
  const read = await readObjects(repository, ids, maxTagsBytes)
  if (!read.ok) return read
  const tags = read.value.filter((answer) => answer?.type === 'tag' && answer.content.length === answer.size)
  return done(tags.flatMap((answer) => (answer ? [{ id: answer.id, ...tagIn(answer.content) }] : [])))
}

function tagIn(content: Buffer) {
  const at = signatureAt(content)
  const { decode, valuesOf, message } = partsOf(content.subarray(0, at))
  const isSigned = at < content.length
  const signed = isSigned ? content.subarray(0, at) : Buffer.alloc(0)
  return {
    name: valuesOf('tag')[0] ?? '',
    object: valuesOf('object')[0] ?? '',
    tagger: stampOf(valuesOf('tagger')[0] ?? ''),
    message: message.slice(0, maxMessageLength).toWellFormed(),
    signature: content.toString('latin1', at).trimEnd(),
    signed,
    payload: decode(signed).toWellFormed(),
  }
}

const signatureStart = /\n-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----/g

/** Where the signature of a tag begins: behind its message, at the last line that begins one, as git reads it. */
function signatureAt(content: Buffer): number {
  const last = [...content.toString('latin1').matchAll(signatureStart)].at(-1)
  return last ? last.index + 1 : content.length
}

interface NewTag {
  name: string
  /** Id of a commit. */
  commit: string
  tagger: Signature
  message: string
}

/** Writes an annotated tag, to which no ref points yet; gives its id and the bytes of its file. Faults: name, gone, full, failed. */
export async function writeTagObject(
  repository: OpenRepository,
  { name, commit, tagger, message }: NewTag,
): Promise<GitOutcome<{ id: string; written: number }>> {
  if (!isBranchName(name) || !isObjectId(commit)) return fault('name', `not a tag: ${name} ${commit}`)
  const head = `object ${commit}\ntype commit\ntag ${name}\ntagger ${signatureLine(tagger)}\n`
  const content = Buffer.from(`${head}\n${message.replaceAll('\0', '').trimEnd()}\n`)
  const tag = newObject(formatOf(commit), 'tag', content)
  const written = await writeObjects(repository, [tag])
  return written.ok ? done({ id: tag.id, written: written.value }) : written
}
