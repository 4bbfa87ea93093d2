import { done } from '../../common/outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import { isObjectId } from '../program/names.ts'
import { fault, type GitOutcome } from '../program/outcome.ts'
import { readObject, readObjects } from './objects.ts'

/** Name, address, and the time as RFC 3339 with the recorded offset. */
export interface Stamp {
  name: string
  email: string
  /** "" if the commit has none that can be read. */
  at: string
}

/** The content of a commit object. */
export interface CommitObject {
  id: string
  parents: string[]
  author: Stamp
  committer: Stamp
  message: string
}

/** A commit as it is stored. */
export interface StoredCommit extends CommitObject {
  /** Id of its tree. */
  tree: string
  /** The signature of a signed commit, the bytes that it signs, and these as text; all empty for any other. */
  signature: string
  signed: Buffer
  payload: string
}

/** Maximum bytes of a commit or tag that are read. */
export const maxCommitBytes = 256 * 1024
/** Maximum characters of one commit message. */
export const maxMessageLength = 64 * 1024

/** A commit by its id, or that of a tag of it; undefined if there is none. Faults: those of git. */
export async function readCommitObject(
  repository: OpenRepository,
  id: string,
): Promise<GitOutcome<StoredCommit | undefined>> {
  if (!isObjectId(id)) return fault('name', `not an object id: ${id}`)
  const read = await readObject(repository, `${id}^{commit}`, maxCommitBytes)
  if (!read.ok) return read
  return done(read.value && { id: read.value.id, ...commitIn(read.value.content) })
}

/** Maximum bytes of commits that are read together. */
const maxCommitsBytes = 8 * 1024 * 1024

/** The commits with these ids, in their order; those that are missing or too many are left out. Faults: those of git. */
export async function readCommitObjects(
  repository: OpenRepository,
  ids: readonly string[],
): Promise<GitOutcome<StoredCommit[]>> {
  if (!ids.every(isObjectId)) return fault('name', 'not object ids')
  const read = await readObjects(repository, ids, maxCommitsBytes)
  if (!read.ok) return read
  const commits = read.value.filter(
    (answer) => answer?.type === 'commit' && answer.content.length === answer.size,
  )
  return done(commits.flatMap((answer) => (answer ? [{ id: answer.id, ...commitIn(answer.content) }] : [])))
}

/** Parses the content of a commit object. */
export function commitIn(content: Buffer) {
  const { decode, valuesOf, message } = partsOf(content)
  return {
    tree: valuesOf('tree')[0] ?? '',
    parents: valuesOf('parent'),
    author: stampOf(valuesOf('author')[0] ?? ''),
    committer: stampOf(valuesOf('committer')[0] ?? ''),
    message: message.slice(0, maxMessageLength).toWellFormed(),
    ...signatureIn(content, decode),
  }
}

/** Parses a commit or tag object: lines of headers, an empty line, the message. */
export function partsOf(content: Buffer) {
  const end = content.indexOf('\n\n')
  const head = content.subarray(0, end < 0 ? content.length : end)
  const decode = decoderOf(head.toString('latin1').match(/^encoding (.+)$/m)?.[1])
  // A line that begins with a space continues the header before it, such as a signature.
  const lines = decode(head).split('\n')
  const valuesOf = (header: string) =>
    lines.filter((line) => line.startsWith(`${header} `)).map((line) => line.slice(header.length + 1))
  return { decode, valuesOf, message: end < 0 ? '' : decode(content.subarray(end + 2)) }
}

/** A signature is a header whose later lines begin with a space; what it signs is the rest of the commit. */
function signatureIn(content: Buffer, decode: (bytes: Buffer) => string) {
  const commit = content.toString('latin1')
  const [header = '', lines = ''] = /^gpgsig(?:-sha256)? (.*(?:\n .*)*)\n/m.exec(commit) ?? []
  // A message may contain such a line, too.
  if (header === '' || commit.indexOf(header) > commit.indexOf('\n\n'))
    return { signature: '', signed: Buffer.alloc(0), payload: '' }
  const signed = Buffer.from(commit.replace(header, ''), 'latin1')
  return { signature: lines.replaceAll('\n ', '\n'), signed, payload: decode(signed).toWellFormed() }
}

/** Reads texts in the encoding that a commit names; UTF-8 by default, and instead of an unknown one. */
function decoderOf(encoding: string | undefined): (bytes: Buffer) => string {
  try {
    const decoder = new TextDecoder(encoding ?? 'utf-8', { ignoreBOM: true })
    return (bytes) => decoder.decode(bytes)
  } catch {
    return (bytes) => bytes.toString('utf8')
  }
}

/** Parses `Ada <ada@example.com> 1766000000 +0100`. */
export function stampOf(line: string): Stamp {
  const [name = '', afterName = ''] = line.split('<', 2)
  const [email = ''] = afterName.split('>', 1)
  const time = line.slice(line.lastIndexOf('>') + 1)
  const [, seconds, offset] = /^ +(\d+)(?: ([+-]\d{4}))?$/.exec(time) ?? []
  return { name: name.trim(), email, at: seconds === undefined ? '' : timeAt(Number(seconds), offset) }
}

/** RFC 3339; "" for a time that it cannot express. */
function timeAt(seconds: number, offset = '+0000'): string {
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(3))]
  const zone = hours > 23 || minutes > 59 ? '+00:00' : `${offset.slice(0, 3)}:${offset.slice(3)}`
  const shift = Number(`${zone[0]}1`) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4)))
  const local = new Date((seconds + shift * 60) * 1000)
  if (Number.isNaN(local.getTime()) || local.getUTCFullYear() > 9999) return ''
  return `${local.toISOString().slice(0, 19)}${zone === '+00:00' ? 'Z' : zone}`
}
