/** The kinds of messages in which a server sends a backup to the command that asked for it. */
const kinds = { data: 0, progress: 1, warning: 2, error: 3, end: 4 } as const
type Kind = keyof typeof kinds

interface Frame {
  kind: Kind
  payload: Buffer
}

/** Layout: kind, length of the payload in four bytes, payload. */
const head = 5

/** Maximum bytes of a payload: a block that gzip could not shrink, and a little more. */
const maxPayload = 64 * 1024 * 1024

export function frameOf(kind: Kind, payload: Buffer | string = ''): Buffer {
  const body = Buffer.from(payload)
  const start = Buffer.alloc(head)
  start.writeUInt8(kinds[kind], 0)
  start.writeUInt32BE(body.length, 1)
  return Buffer.concat([start, body])
}

/** Reads frames until `end`. @throws Error when the stream ends before that */
export async function* readFrames(stream: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of stream) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (rest.length >= head) {
      const length = rest.readUInt32BE(1)
      if (length > maxPayload) throw new Error('the server sent something that is no backup')
      if (rest.length < head + length) break
      const kind = kindOf(rest.readUInt8(0))
      if (kind === 'end') return
      yield { kind, payload: rest.subarray(head, head + length) }
      rest = rest.subarray(head + length)
    }
  }
  throw new Error('the server stopped before the backup was complete')
}

function kindOf(code: number): Kind {
  for (const kind of ['data', 'progress', 'warning', 'error', 'end'] as const)
    if (kinds[kind] === code) return kind
  throw new Error('the server sent something that is no backup')
}
