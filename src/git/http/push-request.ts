import type { Readable } from 'node:stream'
import { isBranchName, isObjectId, isPushableRef, isZeroId } from '../program/names.ts'
import type { RefUpdate } from '../repository/move-refs.ts'
import { readHead } from './head.ts'
import { PacketReader } from './pkt-line.ts'

/** The head of a push, before its pack. */
export interface PushRequest {
  updates: RefUpdate[]
  capabilities: ReadonlySet<string>
  /** The options of `git push -o`, in their order. */
  options: readonly string[]
}

/** Maximum bytes of commands: enough for about 20,000 refs. */
export const maxCommandBytes = 4 * 1024 * 1024

/**
 * Reads the list of commands at the start of a push (gitprotocol-pack(5), "Reference Update Request"), and the options
 * after it if the client announces them, and puts the bytes back, so that git gets the complete stream. Undefined if it
 * is malformed or incomplete.
 */
export function readPushRequest(body: Readable): Promise<PushRequest | undefined> {
  return readHead(body, createExaminer(body))
}

/** Collects chunks until the list is complete, then puts them back. */
function createExaminer(body: Readable): (chunk: Buffer) => PushRequest | 'more' | undefined {
  const received: Buffer[] = []
  const packets = new PacketReader()
  const lines: Buffer[] = []
  let request: PushRequest | undefined
  let size = 0
  return (chunk) => {
    if (size > maxCommandBytes) return undefined
    received.push(chunk)
    size += chunk.length
    for (const packet of packets.read(chunk)) {
      if (packet.kind === 'data') lines.push(packet.payload)
      else if (packet.kind !== 'flush') return undefined
      else {
        const hadCommands = request !== undefined
        request = request ? { ...request, options: lines.map(textOf) } : requestOf(lines)
        lines.length = 0
        if (request?.capabilities.has('push-options') && !hadCommands) continue
        body.unshift(Buffer.concat(received))
        return request
      }
    }
    return 'more'
  }
}

function requestOf(lines: readonly Buffer[]): PushRequest | undefined {
  const updates: RefUpdate[] = []
  let capabilities = new Set<string>()
  for (const line of lines) {
    const [command = '', list] = textOf(line).split('\0', 2)
    if (updates.length === 0 && list !== undefined) capabilities = new Set(list.split(' '))
    if (/^shallow [0-9a-f]+$/.test(command)) continue
    const update = updateOf(command)
    // Signed pushes have another format; this server does not advertise them, so no proper client sends one.
    if (!update) return undefined
    updates.push(update)
  }
  return { updates, capabilities, options: [] }
}

const textOf = (line: Buffer) => line.toString('utf8').replace(/\n$/, '')

function updateOf(command: string): RefUpdate | undefined {
  const [before = '', after = '', ...ref] = command.split(' ')
  if (!isObjectId(before) || !isObjectId(after) || before.length !== after.length) return undefined
  return { before, after, ref: ref.join(' ') }
}

/** The sentence that refuses a push whose commands must not reach git; undefined if the push may proceed. */
export function pushRefusal({ updates, capabilities }: PushRequest): string | undefined {
  const isLeftToGit = updates.some(({ ref }) => !isHiddenRef(ref)) ? isHiddenRef : () => false
  // An existing ref with an invalid name can still be deleted.
  const invalid = updates.find(
    ({ ref, after }) => !isPushableRef(ref) && !(isZeroId(after) && isShownRef(ref)) && !isLeftToGit(ref),
  )
  if (invalid)
    return `only branches, tags and notes with well-formed names can be pushed, not ${printable(invalid.ref)}`
  // Git carries out the others, although the client asked for all or nothing.
  if (capabilities.has('atomic') && new Set(updates.map(({ ref }) => isHiddenRef(ref))).size > 1)
    return 'an atomic push can change branches, tags and notes only'
  // Git would report both updates as done although it does only one.
  const refs = new Set(updates.map(({ ref }) => ref))
  return refs.size < updates.length ? 'a ref can be pushed only once in a push' : undefined
}

/**
 * Well-formed, but neither branch, tag nor notes. Git refuses each of these by itself (`receive.hideRefs`), so that the other
 * refs of the push are accepted: a mirror of another forge has `refs/pull/1/head`.
 */
export const isHiddenRef = (ref: string): boolean =>
  /^refs\/(?!(?:heads|tags|notes)(?:\/|$))/.test(ref) && isBranchName(ref.slice('refs/'.length))

const isShownRef = (ref: string) => /^refs\/(?:heads|tags|notes)\/./.test(ref)

/** Replaces all characters but printable ASCII, so that a text from a client is safe in a terminal. */
export const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200)
