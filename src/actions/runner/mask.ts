import { hashOf } from './token.ts'

/** Takes out of one line what must not stand in a log. */
export interface Mask {
  hide: (line: string) => string
  /** Characters of the longest value that it looks for: what was cut off may begin so far before the cut. */
  longest: number
  /** Characters of all of them. */
  size: number
}

const stars = '***'

/** Digits of the token of a task. */
const tokenLength = 40

/** An escape before a token may end in digits that look like more of it: `%20`, `\u003d`. So many are passed over. */
const escapeLength = 4

/** Lines of a secret of several lines are looked for one by one; shorter ones would hide half of every log. */
const shortestLine = 4

/**
 * Hides these values wherever they stand. A value of several lines is hidden line by line, as it appears in a log. The
 * token of the task is known by its hash only: each word that could be it is held against that. Time grows with the
 * line and the number of values, not with their lengths: both come from strangers.
 */
export function maskOf(values: readonly string[], tokenHash: Uint8Array): Mask {
  // The longest first, so that no rest of one stays beside another that it begins with.
  const needles = [...new Set(values.flatMap(needlesOf))].sort((one, other) => other.length - one.length)
  const finders = needles.map(finderOf)
  const hash = Buffer.from(tokenHash)
  return {
    hide: (line) => {
      // The token first: a secret of one digit would leave pieces of it, between which everybody can read.
      const bare = line.replace(/[0-9a-f]{40,}/g, (digits) => hideToken(digits, hash))
      return finders.reduce((text, hide) => hide(text), bare)
    },
    longest: Math.max(tokenLength, needles[0]?.length ?? 0),
    size: needles.reduce((sum, needle) => sum + needle.length, 0),
  }
}

/** Looks at the first places of each forty digits only: a hash for every place would make long rows of digits dear. */
function hideToken(digits: string, hash: Buffer): string {
  for (let at = 0; at + tokenLength <= digits.length; at++) {
    if (at % tokenLength > escapeLength) continue
    const end = at + tokenLength
    if (!hashOf(digits.slice(at, end)).equals(hash)) continue
    return digits.slice(0, at) + stars + hideToken(digits.slice(end), hash)
  }
  return digits
}

function needlesOf(value: string): string[] {
  const lines = value.split(/\r\n|[\r\n]/)
  if (lines.length === 1) return value === '' ? [] : [value]
  const parts = lines.map((line) => line.trim()).filter((line) => line.length >= shortestLine)
  // A program may also print the whole in one line, with its line breaks escaped.
  return [...parts, lines.join('\\n')]
}

/** Up to this length the search of the runtime, which may take the product of both lengths, is the quicker one. */
const short = 64

function finderOf(needle: string): (text: string) => string {
  if (needle.length <= short) return (text) => text.replaceAll(needle, stars)
  let borders: Int32Array | undefined
  return (text) => {
    if (text.length < needle.length) return text
    borders ??= bordersOf(needle)
    return replaceLong(text, needle, borders)
  }
}

/** For each beginning of a text, how much of its end it begins with (Knuth, Morris, Pratt 1977). */
function bordersOf(needle: string): Int32Array {
  const borders = new Int32Array(needle.length + 1)
  for (let at = 1, known = 0; at < needle.length; at++) {
    while (known > 0 && needle.charCodeAt(at) !== needle.charCodeAt(known)) known = borders[known] ?? 0
    if (needle.charCodeAt(at) === needle.charCodeAt(known)) known++
    borders[at + 1] = known
  }
  return borders
}

/** As `replaceAll` does it, in a time that grows with the text alone. */
function replaceLong(text: string, needle: string, borders: Int32Array): string {
  let hidden = ''
  let done = 0
  for (let at = 0, known = 0; at < text.length; at++) {
    while (known > 0 && text.charCodeAt(at) !== needle.charCodeAt(known)) known = borders[known] ?? 0
    if (text.charCodeAt(at) === needle.charCodeAt(known)) known++
    if (known < needle.length) continue
    hidden += text.slice(done, at + 1 - needle.length) + stars
    done = at + 1
    known = 0
  }
  return done === 0 ? text : hidden + text.slice(done)
}
