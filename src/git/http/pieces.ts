import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'

/** Bytes read at one time: more than a pipe of node holds. */
export const pieceBytes = 128 * 1024

/** Does something with a piece, whose bytes are good until it resolves. */
export type Take = (piece: Buffer) => Promise<void>

/**
 * Gives what a pipe brings to `take`, one piece after another, until it ends or breaks. The same memory serves again
 * and again: node would take new memory for each 64 kB, and V8, which is told of all of it, collects garbage all the time.
 */
export async function eachPiece(pipe: Readable, take: Take): Promise<void> {
  let carried = 0
  const carry = async (piece: Buffer) => {
    await take(piece)
    carried += piece.length
    // Of a long answer few large pieces cost less than many small ones, and what is short waits for nothing.
    if (carried > pieceBytes && piece.length < pieceBytes / 2) await pause(1)
  }
  const inside = insideOf(pipe)
  try {
    if (inside) await readOver(pipe, inside, carry)
    else for await (const piece of pipe) await carry(piece)
  } catch {
    // A pipe that breaks is the end of its writer, which says why by itself.
    pipe.destroy()
  }
}

/** The names under which net.Socket keeps what its option `onread` says, and its handle. */
interface Inside {
  buffer: symbol
  next: symbol
  callback: symbol
  handle: { useUserBuffer: (memory: Buffer) => void }
}

/**
 * What that option sets cannot be given to the sockets that `spawn` makes; undefined where node's inside is not the one
 * that is known here, and where node has read something already, which would be overtaken.
 */
function insideOf(pipe: Readable): Inside | undefined {
  const names = new Map(Object.getOwnPropertySymbols(pipe).map((name) => [name.description, name]))
  const [buffer, next, callback] = [names.get('kBuffer'), names.get('kBufferGen'), names.get('kBufferCb')]
  const handle: unknown = Reflect.get(pipe, '_handle')
  if (!buffer || !next || !callback || !isHandle(handle) || pipe.readableLength > 0) return undefined
  return { buffer, next, callback, handle }
}

const isHandle = (handle: unknown): handle is Inside['handle'] =>
  typeof handle === 'object' && handle !== null && 'useUserBuffer' in handle

/**
 * Reads a pipe as `onread` does. The next piece is asked for when one has been taken; node asks for one more by itself
 * when the process has ended, so each read has memory of its own until it is taken.
 */
function readOver(pipe: Readable, { buffer, next, callback, handle }: Inside, take: Take): Promise<void> {
  const free: Buffer[] = []
  const memory = () => free.pop() ?? Buffer.allocUnsafeSlow(pieceBytes)
  let line = Promise.resolve()
  return new Promise((resolve, reject) => {
    const taking = async (bytes: number, from: Buffer) => {
      await take(from.subarray(0, bytes))
      free.push(from)
      pipe.resume()
    }
    const arrived = (bytes: number, from: Buffer) => {
      line = line.then(() => taking(bytes, from))
      line.catch(reject)
      return false
    }
    const first = memory()
    Reflect.set(pipe, buffer, first)
    Reflect.set(pipe, next, memory)
    Reflect.set(pipe, callback, arrived)
    handle.useUserBuffer(first)
    pipe.once('close', () => line.then(resolve, reject)).resume()
  })
}
