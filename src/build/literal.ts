/** Characters of a piece. */
const pieceLength = 60_000

/**
 * A large text as an expression for the bundle. It belongs into a function with braces: V8 passes over the body of one
 * until it is called, so a server that never calls it does not hold the text as a string. It is in pieces because V8
 * gathers each literal that it passes in a buffer, and the holes that large buffers leave stay with the process.
 */
export function literalOf(text: string): string {
  const pieces = Array.from({ length: Math.ceil(text.length / pieceLength) }, (_, at) =>
    JSON.stringify(text.slice(at * pieceLength, (at + 1) * pieceLength)),
  )
  return `[${pieces.join(',')}].join('')`
}
