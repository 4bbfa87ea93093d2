import type { Writable } from 'node:stream'
import type { Sink } from '../log.ts'

/** Bytes that a pipe takes as a whole or not at all: PIPE_BUF of Linux (pipe(7)); a socket takes more. */
const wholeWrite = 4096

/**
 * The output of several processes, such as workers: lines of one never come into those of another, also where the reader
 * is slow. Only a line of more than 4096 bytes may be torn.
 */
export function sharedOutput(stream: Writable & { isTTY?: boolean | undefined }): Sink {
  const waiting: Buffer[] = []
  let waitingBytes = 0
  // One at a time: a stream puts those together that wait for its reader.
  const writeNext = () => {
    while (stream.writableLength === 0) {
      const piece = waiting.shift()
      if (!piece) return
      waitingBytes -= piece.length
      stream.write(piece, writeNext)
    }
  }
  return {
    write: (text) => {
      waiting.push(...piecesOf(text))
      waitingBytes += Buffer.byteLength(text)
      writeNext()
    },
    get isTTY() {
      return stream.isTTY
    },
    get writableLength() {
      return stream.writableLength + waitingBytes
    },
  }
}

/** As many whole lines at a time as are written as a whole. */
function* piecesOf(text: string): Generator<Buffer> {
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; ) {
    const isLast = bytes.length - start <= wholeWrite
    const fitting = isLast ? bytes.length : bytes.lastIndexOf(lineEnd, start + wholeWrite - 1) + 1
    const end = fitting > start ? fitting : bytes.indexOf(lineEnd, start) + 1 || bytes.length
    yield bytes.subarray(start, end)
    start = end
  }
}

const lineEnd = 0x0a
