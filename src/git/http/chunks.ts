import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'

/** Bytes read at a time: more than a pipe of node holds. */
export const chunkBytes = 128 * 1024

/** Processes a chunk, whose bytes are valid until the promise resolves. */
export type Consumer = (piece: Buffer) => Promise<void>

/**
 * Passes the contents of a pipe to `consume`, one chunk after another, until it ends or breaks. The same memory is
 * reused: node would allocate memory for each 64 kB, and V8, which is told of all of it, would constantly collect
 * garbage.
 */
export async function forEachChunk(pipe: Readable, consume: Consumer): Promise<void> {
  let total = 0
  const deliver = async (chunk: Buffer) => {
    await consume(chunk)
    total += chunk.length
    // A long answer costs less in few large chunks than in many small ones; a short answer is not delayed.
    if (total > chunkBytes && chunk.length < chunkBytes / 2) await pause(1)
  }
  const internals = internalsOf(pipe)
  try {
    if (internals) await readOver(pipe, internals, deliver)
    else for await (const piece of pipe) await deliver(piece)
  } catch {
    // A pipe breaks when its writer ends, and the writer reports the reason itself.
    pipe.destroy()
  }
}

/** The symbols under which net.Socket stores the values of its option `onread`, and its handle. */
interface SocketInternals {
  buffer: symbol
  next: symbol
  callback: symbol
  handle: { useUserBuffer: (memory: Buffer) => void }
}

/**
 * The option `onread` cannot be passed to the sockets that `spawn` creates, so its internals are set instead. Undefined
 * if node's internals differ from those known here, or if node has already read something, which would be overtaken.
 */
function internalsOf(pipe: Readable): SocketInternals | undefined {
  const names = new Map(Object.getOwnPropertySymbols(pipe).map((name) => [name.description, name]))
  const [buffer, next, callback] = [names.get('kBuffer'), names.get('kBufferGen'), names.get('kBufferCb')]
  const handle: unknown = Reflect.get(pipe, '_handle')
  if (!buffer || !next || !callback || !isHandle(handle) || pipe.readableLength > 0) return undefined
  return { buffer, next, callback, handle }
}

const isHandle = (handle: unknown): handle is SocketInternals['handle'] =>
  typeof handle === 'object' && handle !== null && 'useUserBuffer' in handle

/**
 * Reads a pipe as `onread` does. The next chunk is requested after one has been consumed; but when the process has
 * ended, node reads another one by itself, so each read has its own memory until it is consumed.
 */
function readOver(
  pipe: Readable,
  { buffer, next, callback, handle }: SocketInternals,
  consume: Consumer,
): Promise<void> {
  const free: Buffer[] = []
  const memory = () => free.pop() ?? Buffer.allocUnsafeSlow(chunkBytes)
  let queue = Promise.resolve()
  return new Promise((resolve, reject) => {
    const consumeAndFree = async (bytes: number, from: Buffer) => {
      await consume(from.subarray(0, bytes))
      free.push(from)
      pipe.resume()
    }
    const onChunk = (bytes: number, from: Buffer) => {
      queue = queue.then(() => consumeAndFree(bytes, from))
      queue.catch(reject)
      return false
    }
    const first = memory()
    Reflect.set(pipe, buffer, first)
    Reflect.set(pipe, next, memory)
    Reflect.set(pipe, callback, onChunk)
    handle.useUserBuffer(first)
    pipe.once('close', () => queue.then(resolve, reject)).resume()
  })
}
