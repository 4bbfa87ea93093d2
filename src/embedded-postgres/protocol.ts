/**
 * The few parts of PostgreSQL's wire protocol that the embedded server reads or writes itself
 * (https://www.postgresql.org/docs/18/protocol-message-formats.html). Everything else passes through unread.
 */

const PROTOCOL_3 = 3
const SSL_REQUEST = 80877103
const GSS_REQUEST = 80877104
const CANCEL_REQUEST = 80877102
const TERMINATE = 0x58

/** The first packet of a client. `settings` are the run-time settings to apply to the session. */
type Startup =
  | { kind: 'start'; settings: [name: string, value: string][] }
  | { kind: 'encrypt' }
  | { kind: 'cancel' }
  | { kind: 'unknown' }

/** Client settings without effect here. Timeouts would need timers, and none can run during a statement. */
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

/** Parses the packet that opens a connection (it has no type byte). */
export function readStartup(packet: Buffer): Startup {
  const code = packet.readUInt32BE(4)
  if (code === SSL_REQUEST || code === GSS_REQUEST) return { kind: 'encrypt' }
  if (code === CANCEL_REQUEST) return { kind: 'cancel' }
  if (packet.readUInt16BE(4) !== PROTOCOL_3) return { kind: 'unknown' }
  const strings = packet.toString('utf8', 8).split('\0')
  const settings: [string, string][] = []
  for (let i = 0; i + 1 < strings.length; i += 2) {
    const name = strings[i] ?? ''
    if (!IGNORED.has(name)) settings.push([name, strings[i + 1] ?? ''])
  }
  return { kind: 'start', settings }
}

/** One message: type letter, length (including its own four bytes), body. */
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

/** The packet to which PostgreSQL answers with its greeting: parameters, key and ReadyForQuery. */
export function startupPacket(user: string, database: string): Buffer {
  const body = Buffer.from(`user\0${user}\0database\0${database}\0\0`)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + body.length)
  head.writeUInt16BE(PROTOCOL_3, 4)
  return Buffer.concat([head, body])
}

/**
 * Resets the session after a client: ends a COPY, an unsynced batch and a transaction, then drops prepared statements,
 * settings and temporary tables. Parts that do not apply are accepted and ignored.
 */
export const RESET: Buffer = Buffer.concat([
  message('f', 'the client has gone\0'),
  message('S'),
  query('rollback'),
  query('discard all'),
])

/** The end of a reply after which no transaction, batch or COPY is open: ReadyForQuery with status "idle". */
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
 * Splits a byte stream at message boundaries and passes on only whole messages. If a client disconnects in the middle
 * of one, the partial message must not reach the server, where the next client's bytes would complete it.
 */
export class MessageCutter {
  #pending: Buffer[] = []
  #pendingLength = 0
  #needed = 5
  /** True after the client has sent Terminate, which is not passed on: PostgreSQL itself would exit. */
  terminated = false

  /** Adds the next bytes; returns all messages that are now complete, or undefined if there is none. */
  take(chunk: Buffer): Buffer | undefined {
    this.#pending.push(chunk)
    this.#pendingLength += chunk.length
    if (this.#pendingLength < this.#needed) return undefined
    const all = this.#pending.length === 1 ? chunk : Buffer.concat(this.#pending)
    const end = this.#lastBoundary(all)
    this.#pending = end < all.length ? [all.subarray(end)] : []
    this.#pendingLength = all.length - end
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
