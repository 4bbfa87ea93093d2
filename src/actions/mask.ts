import { hashOf } from './token.ts'

/** Takes out of one line what must not stand in a log. */
export type Mask = (line: string) => string

const stars = '***'

/** Lines of a secret of several lines are looked for one by one; shorter ones would hide half of every log. */
const shortestLine = 4

/**
 * Hides these values wherever they stand. A value of several lines is hidden line by line, as it appears in a log. The
 * token of the task is known by its hash only: each word that could be it is held against that.
 */
export function maskOf(values: readonly string[], tokenHash: Uint8Array): Mask {
  const known = new Set(values.flatMap(needlesOf))
  // The longest first, so that no rest of one stays beside another that it begins with.
  const needles = [...known].sort((one, other) => other.length - one.length).map(escaped)
  const pattern = needles.length > 0 ? new RegExp(needles.join('|'), 'g') : undefined
  const hash = Buffer.from(tokenHash)
  return (line) => {
    const bare = pattern ? line.replace(pattern, stars) : line
    return bare.replace(/[0-9a-f]{40}/g, (word) => (hashOf(word).equals(hash) ? stars : word))
  }
}

function needlesOf(value: string): string[] {
  const lines = value.split(/\r\n|[\r\n]/)
  if (lines.length === 1) return value === '' ? [] : [value]
  const parts = lines.map((line) => line.trim()).filter((line) => line.length >= shortestLine)
  // A program may also print the whole in one line, with its line breaks escaped.
  return [...parts, lines.join('\\n')]
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
