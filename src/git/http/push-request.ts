import type { Readable } from 'node:stream'
import { isBranchName, isObjectId, isPushableRef, isZeroId } from '../program/names.ts'
import { readHead } from './head.ts'
import { PacketReader } from './pkt-line.ts'

/** What a push asks of one ref, or has done to it. Zeros stand for "nothing": made, or deleted. */
export interface RefUpdate {
  /** In full: `refs/heads/main`. */
  ref: string
  before: string
  after: string
}

/** The head of a push, before its pack. */
export interface PushRequest {
  updates: RefUpdate[]
  capabilities: ReadonlySet<string>
}

/** Bytes of commands that are read: some 20,000 refs. */
export const commandBytes = 4 * 1024 * 1024

/**
 * Reads the list of commands at the head of a push (gitprotocol-pack(5), "Reference Update Request") and puts its bytes
 * back, so that the stream can be given to git whole. Undefined for what is no such list, also when it ends too early.
 */
export function readPushRequest(body: Readable): Promise<PushRequest | undefined> {
  return readHead(body, createTaker(body))
}

/** Takes chunks until the list is whole, and puts them back then. */
function createTaker(body: Readable): (chunk: Buffer) => PushRequest | 'more' | undefined {
  const taken: Buffer[] = []
  const packets = new PacketReader()
  const lines: Buffer[] = []
  let size = 0
  return (chunk) => {
    if (size > commandBytes) return undefined
    taken.push(chunk)
    size += chunk.length
    for (const packet of packets.read(chunk)) {
      if (packet.kind === 'data') lines.push(packet.payload)
      else if (packet.kind !== 'flush') return undefined
      else {
        body.unshift(Buffer.concat(taken))
        return requestOf(lines)
      }
    }
    return 'more'
  }
}

function requestOf(lines: readonly Buffer[]): PushRequest | undefined {
  const updates: RefUpdate[] = []
  let capabilities = new Set<string>()
  for (const line of lines) {
    const [command = '', words] = line.toString('utf8').replace(/\n$/, '').split('\0', 2)
    if (updates.length === 0 && words !== undefined) capabilities = new Set(words.split(' '))
    if (/^shallow [0-9a-f]+$/.test(command)) continue
    const update = updateOf(command)
    // Signed pushes come in another form; they are not offered, so nobody honest sends one.
    if (!update) return undefined
    updates.push(update)
  }
  return { updates, capabilities }
}

function updateOf(command: string): RefUpdate | undefined {
  const [before = '', after = '', ...words] = command.split(' ')
  if (!isObjectId(before) || !isObjectId(after) || before.length !== after.length) return undefined
  return { before, after, ref: words.join(' ') }
}

/** The sentence that refuses a push whose commands must not even reach git; undefined when they may. */
export function refusePush({ updates }: PushRequest): string | undefined {
  const isLeftToGit = updates.some(({ ref }) => !isHiddenRef(ref)) ? isHiddenRef : () => false
  // What is there under a bad name can still be deleted.
  const wrong = updates.find(
    ({ ref, after }) => !isPushableRef(ref) && !(isZeroId(after) && isOurs(ref)) && !isLeftToGit(ref),
  )
  if (wrong) return `only branches and tags with well-formed names can be pushed, not ${printable(wrong.ref)}`
  // Git would report it as done though only one of the two was.
  const refs = new Set(updates.map(({ ref }) => ref))
  return refs.size < updates.length ? 'a ref can be pushed only once in a push' : undefined
}

/**
 * Well-formed, but neither branch nor tag. Git refuses each of them by itself (`receive.hideRefs`), so that what stands
 * beside them comes in: a mirror of another forge has `refs/pull/1/head`.
 */
export const isHiddenRef = (ref: string): boolean =>
  /^refs\/(?!(?:heads|tags)(?:\/|$))/.test(ref) && isBranchName(ref.slice('refs/'.length))

const isOurs = (ref: string) => /^refs\/(?:heads|tags)\/./.test(ref)

/** Text of a stranger for a terminal. */
export const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200)
