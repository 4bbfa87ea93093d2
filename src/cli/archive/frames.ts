/** The kinds of messages in which a server sends a backup to the command. */
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
  const chunks = stream[Symbol.asyncIterator]()
  const take = takerOf(chunks)
  try {
    for (;;) {
      const start = await take(head)
      const length = start.readUInt32BE(1)
      if (length > maxPayload) throw new Error('the server did not send a backup')
      const kind = kindOf(start.readUInt8(0))
      if (kind === 'end') return
      yield { kind, payload: await take(length) }
    }
  } finally {
    await chunks.return?.()
  }
}

/** Returns a function that takes a number of bytes. It joins chunks once they are enough: a frame consists of many. */
function takerOf(chunks: AsyncIterator<Buffer>): (size: number) => Promise<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  return async (size) => {
    const parts = [rest]
    for (let length = rest.length; length < size; ) {
      const { value, done } = await chunks.next()
      if (done) throw new Error('the server stopped before the backup was complete')
      parts.push(value)
      length += value.length
    }
    const all = parts.length === 1 ? rest : Buffer.concat(parts)
    rest = all.subarray(size)
    return all.subarray(0, size)
  }
}

function kindOf(code: number): Kind {
  for (const kind of ['data', 'progress', 'warning', 'error', 'end'] as const)
    if (kinds[kind] === code) return kind
  throw new Error('the server did not send a backup')
}
