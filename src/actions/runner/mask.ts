import { hashOf } from './token.ts'

/** Removes from one line what must not appear in a log. */
export interface Mask {
  hide: (line: string) => string
  /** Length of the longest pattern: a truncated value may begin this many characters before the cut. */
  longest: number
  /** Total length of all patterns. */
  size: number
}

const stars = '***'

/** Length of a task token in hex digits. */
const tokenLength = 40

/** An escape before a token may end in hex digits (`%20`, `\u003d`); the search skips up to this many. */
const escapeLength = 4

/**
 * Minimum length of a line of a secret that has several: shorter ones, such as `{`, would hide half of every log.
 */
const shortestLine = 4

/**
 * Hides these values wherever they occur. A value of several lines is hidden line by line, as it appears in a log. Only
 * the hash of the task token is known, so each word that could be the token is hashed and compared. Time grows with the
 * line and the number of values, not with their lengths: users choose both.
 */
export function maskOf(values: readonly string[], tokenHash: Uint8Array): Mask {
  // Longest first, so that hiding a prefix does not leave the rest of a longer value visible.
  const patterns = [...new Set(values.flatMap(patternsOf))].sort((one, other) => other.length - one.length)
  const replacers = patterns.map(replacerOf)
  // A copy of its own: a small buffer would retain the 8 KiB that it is a part of, as long as the mask is cached.
  const hash = new Uint8Array(tokenHash)
  return {
    hide: (line) => {
      // The token first: hiding a secret of one digit would split the token into readable pieces.
      const bare = line.replace(/[0-9a-f]{40,}/g, (digits) => hideToken(digits, hash))
      return replacers.reduce((masked, hide) => hide(masked), bare)
    },
    longest: Math.max(tokenLength, patterns[0]?.length ?? 0),
    size: patterns.reduce((sum, pattern) => sum + pattern.length, 0),
  }
}

/**
 * Checks only the first offsets of each forty digits: to hash at every offset takes long for many digits in a row.
 */
function hideToken(digits: string, hash: Uint8Array): string {
  for (let at = 0; at + tokenLength <= digits.length; at++) {
    if (at % tokenLength > escapeLength) continue
    const end = at + tokenLength
    if (!hashOf(digits.slice(at, end)).equals(hash)) continue
    return digits.slice(0, at) + stars + hideToken(digits.slice(end), hash)
  }
  return digits
}

function patternsOf(value: string): string[] {
  const lines = value.split(/\r\n|[\r\n]/)
  if (lines.length === 1) return value === '' ? [] : [value]
  const parts = lines.map((line) => line.trim()).filter((line) => line.length >= shortestLine)
  // A program may also print the whole value in one line, with its line breaks escaped.
  return [...parts, lines.join('\\n')]
}

/**
 * Up to this length `replaceAll` of the runtime is faster, although its time may grow with the product of both lengths.
 */
const shortPattern = 64

function replacerOf(pattern: string): (text: string) => string {
  if (pattern.length <= shortPattern) return (text) => text.replaceAll(pattern, stars)
  let borders: Int32Array | undefined
  return (text) => {
    if (text.length < pattern.length) return text
    borders ??= bordersOf(pattern)
    return replaceLong(text, pattern, borders)
  }
}

/** The failure function of a pattern: for each prefix, the length of its longest border (Knuth, Morris, Pratt 1977). */
function bordersOf(pattern: string): Int32Array {
  const borders = new Int32Array(pattern.length + 1)
  for (let at = 1, matched = 0; at < pattern.length; at++) {
    while (matched > 0 && pattern.charCodeAt(at) !== pattern.charCodeAt(matched))
      matched = borders[matched] ?? 0
    if (pattern.charCodeAt(at) === pattern.charCodeAt(matched)) matched++
    borders[at + 1] = matched
  }
  return borders
}

/** `replaceAll` in time linear in the text. */
function replaceLong(text: string, pattern: string, borders: Int32Array): string {
  let hidden = ''
  let end = 0
  for (let at = 0, matched = 0; at < text.length; at++) {
    while (matched > 0 && text.charCodeAt(at) !== pattern.charCodeAt(matched)) matched = borders[matched] ?? 0
    if (text.charCodeAt(at) === pattern.charCodeAt(matched)) matched++
    if (matched < pattern.length) continue
    hidden += text.slice(end, at + 1 - pattern.length) + stars
    end = at + 1
    matched = 0
  }
  return end === 0 ? text : hidden + text.slice(end)
}
