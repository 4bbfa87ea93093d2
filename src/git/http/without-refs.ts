import type { RunningProcess } from '../program/process.ts'

/** The same process without the refs that its output begins with: packets up to the first flush packet. */
export function withoutRefs<Running extends RunningProcess>(running: Running): Running {
  const pastRefs = skipToFlush()
  const chunks: RunningProcess['chunks'] = (consume) =>
    running.chunks(async (chunk) => {
      const rest = pastRefs(chunk)
      if (rest.length > 0) await consume(rest)
    })
  return { ...running, chunks }
}

/** Returns what of each chunk of a stream is past the first flush packet. */
function skipToFlush(): (chunk: Buffer) => Buffer {
  let digits = ''
  let left = 0
  let isPast = false
  return (chunk) => {
    let at = 0
    while (!isPast && at < chunk.length) {
      const part = chunk.subarray(at, at + (left > 0 ? left : 4 - digits.length))
      at += part.length
      if (left > 0) left -= part.length
      else digits += part.toString('latin1')
      if (digits.length < 4) continue
      isPast = digits === '0000'
      left = Math.max(0, Number.parseInt(digits, 16) - 4)
      digits = ''
    }
    return chunk.subarray(at)
  }
}
