/**
 * The few parts of PostgreSQL's wire protocol that the embedded server's front door needs
 * (https://www.postgresql.org/docs/18/protocol-message-formats.html). Everything else passes through unread.
 */

const PROTOCOL_3 = 3
const SSL_REQUEST = 80877103
const GSS_REQUEST = 80877104
const CANCEL_REQUEST = 80877102
const TERMINATE = 0x58

/** What a client's first packet asks for. `settings` are the run-time settings to apply to the session. */
type Startup =
  | { kind: 'start'; settings: [name: string, value: string][] }
  | { kind: 'encrypt' }
  | { kind: 'cancel' }
  | { kind: 'unknown' }

/** Settings of a client that have no meaning here. Timeouts need timers, and none runs while a statement does. */
const IGNORED = new Set([
  '',
  'user',
  'database',
  'client_encoding',
  'options',
  'replication',
  'statement_timeout',
  'lock_timeout',
  'transaction_timeout',
  'idle_session_timeout',
  'idle_in_transaction_session_timeout',
])

/** Reads the packet that opens a connection (it has no type byte). */
export function readStartup(packet: Buffer): Startup {
  const code = packet.readUInt32BE(4)
  if (code === SSL_REQUEST || code === GSS_REQUEST) return { kind: 'encrypt' }
  if (code === CANCEL_REQUEST) return { kind: 'cancel' }
  if (packet.readUInt16BE(4) !== PROTOCOL_3) return { kind: 'unknown' }
  const words = packet.toString('utf8', 8).split('\0')
  const settings: [string, string][] = []
  for (let i = 0; i + 1 < words.length; i += 2) {
    const name = words[i] ?? ''
    if (!IGNORED.has(name)) settings.push([name, words[i + 1] ?? ''])
  }
  return { kind: 'start', settings }
}

/** One message: type letter, length (which counts itself), body. */
export function message(type: string, body: Uint8Array | string = ''): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const head = Buffer.alloc(5, type, 'latin1')
  head.writeUInt32BE(bytes.length + 4, 1)
  return Buffer.concat([head, bytes])
}

/** A simple query. */
export function query(text: string): Buffer {
  return message('Q', `${text}\0`)
}

/** The packet that makes PostgreSQL greet a client: parameters, key and ReadyForQuery. */
export function startupPacket(user: string, database: string): Buffer {
  const body = Buffer.from(`user\0${user}\0database\0${database}\0\0`)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + body.length)
  head.writeUInt16BE(PROTOCOL_3, 4)
  return Buffer.concat([head, body])
}

/**
 * Ends whatever a client has left behind: a COPY, an unsynced batch, a transaction, then prepared statements, settings
 * and temporary tables. Each part is accepted and ignored where it does not apply.
 */
export const RESET: Buffer = Buffer.concat([
  message('f', 'the client has gone\0'),
  message('S'),
  query('rollback'),
  query('discard all'),
])

/** How a reply ends after which no transaction, no batch and no COPY is open: ReadyForQuery, status "idle". */
export const IDLE: Uint8Array = message('Z', 'I')

/** The text columns of each row in a reply; null is read as the empty string. */
export function rowsOf(reply: Buffer): string[][] {
  const rows: string[][] = []
  for (let at = 0; at + 5 <= reply.length; at += 1 + reply.readUInt32BE(at + 1)) {
    if (reply[at] === 0x44) rows.push(columnsOf(reply, at + 5))
  }
  return rows
}

function columnsOf(reply: Buffer, start: number): string[] {
  let at = start + 2
  return Array.from({ length: reply.readUInt16BE(start) }, () => {
    const length = reply.readInt32BE(at)
    at += 4
    if (length < 0) return ''
    at += length
    return reply.toString('utf8', at - length, at)
  })
}

/**
 * Cuts a stream of bytes at message boundaries. Only whole messages are passed on: of a client that vanishes in the
 * middle of one, nothing half-said may reach the server, where the next client's bytes would complete it.
 */
export class MessageCutter {
  #held: Buffer[] = []
  #heldLength = 0
  #needed = 5
  /** True when the client has said goodbye; nothing after that is passed on. PostgreSQL itself would exit at the word. */
  terminated = false

  /** Takes the next bytes, returns all whole messages that are now complete, or undefined while there is none. */
  take(chunk: Buffer): Buffer | undefined {
    this.#held.push(chunk)
    this.#heldLength += chunk.length
    if (this.#heldLength < this.#needed) return undefined
    const all = this.#held.length === 1 ? chunk : Buffer.concat(this.#held)
    const end = this.#lastBoundary(all)
    this.#held = end < all.length ? [all.subarray(end)] : []
    this.#heldLength = all.length - end
    return end > 0 ? all.subarray(0, end) : undefined
  }

  #lastBoundary(bytes: Buffer): number {
    let at = 0
    this.#needed = 5
    while (at + 5 <= bytes.length) {
      this.terminated = bytes[at] === TERMINATE
      if (this.terminated) break
      const length = 1 + bytes.readUInt32BE(at + 1)
      if (at + length > bytes.length) {
        this.#needed = length
        break
      }
      at += length
    }
    return at
  }
}
