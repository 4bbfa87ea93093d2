import { done } from '../../common/outcome.ts'
import type { OpenRepository } from '../program/git.ts'
import { isObjectId } from '../program/names.ts'
import { fault, type GitOutcome, incomplete } from '../program/outcome.ts'

/** A file that a patch changes. */
export interface PatchedFile {
  path: string
  /** Undefined: it is deleted. */
  after: { mode: string; id: string } | undefined
}

/** Maximum bytes of the list of changed files. */
const maxListBytes = 16 * 1024 * 1024

/** Git writes the index into the repository in which it runs. */
const applying = ['apply', '--cached', '--3way', '--recount', '--binary', '--ignore-whitespace']

/**
 * The files of a tree that a patch changes; a sentence if it does not apply. The repository must have no index and find
 * the objects of the tree; git writes the new ones into it. Faults: name, those of git.
 */
export async function applyPatch(
  { git, directory }: OpenRepository,
  tree: string,
  patch: string,
): Promise<GitOutcome<PatchedFile[] | string>> {
  if (!isObjectId(tree)) return fault('name', `not an object id: ${tree}`)
  const read = await git.run(directory, ['read-tree', tree])
  if (!read.ok) return read
  const applied = await git.run(directory, [...applying, '--whitespace=nowarn', '-'], { input: patch })
  if (!applied.ok)
    return applied.fault.kind === 'failed' ? done(reasonIn(applied.fault.log, directory)) : applied
  const comparing = ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--no-abbrev', tree, '--']
  const listed = await git.run(directory, comparing, { maxBytes: maxListBytes })
  return listed.ok ? done(changesIn(listed.value.toString('utf8'))) : listed
}

/** The reason why git does not apply a patch, without paths of this machine. */
function reasonIn(log: string, directory: string): string {
  const lines = [...log.matchAll(/^(?:.*: )?error: (.+)$/gm)].map(([, message = '']) => message)
  const messages = lines.filter((line) => !line.includes(directory) && !isFirstTry(line))
  return messages.at(-1)?.slice(0, maxReason) ?? 'it conflicts with the files of the branch'
}

const maxReason = 300

/** Git reports this and then applies the patch without the blobs that it names. */
const isFirstTry = (line: string) => line.startsWith('repository lacks the necessary blob')

/** Parses `:100644 100755 <id before> <id after> M`, and the path, each with a zero byte behind it. */
function changesIn(output: string): PatchedFile[] {
  const tokens = output.split('\0')
  const files: PatchedFile[] = []
  for (let at = 0; at + 1 < tokens.length; at += 2) {
    const [, mode = '', , id = '', status] = (tokens[at] ?? '').split(' ')
    files.push({ path: tokens[at + 1] ?? '', after: status === 'D' ? undefined : { mode, id } })
  }
  return files
}

/**
 * The contents of blobs by id, read by a process that ends with the answer. Faults: large if all have more than
 * `maxBytes`, those of git.
 */
export async function readNewBlobs(
  { git, directory }: OpenRepository,
  ids: readonly string[],
  maxBytes: number,
): Promise<GitOutcome<Map<string, Buffer>>> {
  const blobs = new Map<string, Buffer>()
  if (ids.length === 0) return done(blobs)
  const input = `${[...new Set(ids)].join('\n')}\n`
  const read = await git.run(directory, ['cat-file', '--batch'], { input, maxBytes })
  if (!read.ok) return read
  const output = read.value
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf('\n', at)
    const [id = '', type, size] = output.toString('latin1', at, end).split(' ')
    if (type !== 'blob') return incomplete(directory, `${id} is not a readable blob`)
    const start = end + 1
    at = start + Number(size) + 1
    blobs.set(id, output.subarray(start, at - 1))
  }
  return done(blobs)
}
