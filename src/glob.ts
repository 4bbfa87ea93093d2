import { anything, Malformed, type Matcher, matcherFor, type Part } from './pattern-program.ts'

export type { Matcher } from './pattern-program.ts'

/**
 * What the signs of a glob mean. In all dialects, `[a-z]` and `[!a-z]` (or `[^a-z]`) match one character of a class, `{a,b}` one
 * of several globs, and `\` makes the next character literal.
 *
 * `names`: `*` and `**` match any run of characters, slashes included, and `?` one character.
 *
 * `paths` (filters of workflows): `*` matches anything but a slash, `**` anything; `?` and `+` make the preceding item
 * optional or repeated. A `**` between slashes, or between the start and a slash, also matches no folder.
 *
 * `{ separators }` (rules of protected branches): `*` and `?` match anything but a separator, `**` anything.
 */
type Dialect = 'names' | 'paths' | { readonly separators: string }

/**
 * Compiles a glob; undefined if it is malformed: an open bracket or brace, an empty class, nothing after the backslash
 * or before a postfix sign.
 */
export const compileGlob = (pattern: string, dialect: Dialect = 'names'): Matcher | undefined =>
  matcherFor(() => ({ kind: 'all', parts: new Reader([...pattern], dialect).sequence(false) }))

const slash: Part = { kind: 'one', fits: (character) => character === '/' }
const noneOf = (separators: string): Part => ({
  kind: 'one',
  fits: (character) => !separators.includes(character),
})

class Reader {
  #at = 0
  readonly #inSegment: Part

  constructor(
    readonly characters: readonly string[],
    readonly dialect: Dialect,
  ) {
    const separators = { names: '', paths: '/' }
    this.#inSegment = noneOf(typeof dialect === 'string' ? separators[dialect] : dialect.separators)
  }

  /** Reads up to the end, or inside braces up to a comma or the closing brace, which stay unread. */
  sequence(inBraces: boolean): Part[] {
    const parts: Part[] = []
    for (;;) {
      const character = this.characters[this.#at]
      if (character === undefined || (inBraces && (character === ',' || character === '}'))) return parts
      this.#at++
      const isPostfix = this.dialect === 'paths' && (character === '?' || character === '+')
      if (!isPostfix) parts.push(this.#part(character))
      else {
        const part = parts.pop()
        if (!part) throw new Malformed()
        parts.push({ kind: character === '?' ? 'maybe' : 'some', part })
      }
    }
  }

  #part(character: string): Part {
    if (character === '*') return this.#stars()
    if (character === '?') return this.#inSegment
    if (character === '[') return { kind: 'one', fits: this.#class() }
    if (character === '{') return { kind: 'either', choices: this.#choices() }
    const literal = character === '\\' ? this.#take() : character
    return { kind: 'one', fits: (other) => other === literal }
  }

  #stars(): Part {
    const start = this.#at - 1
    while (this.characters[this.#at] === '*') this.#at++
    if (this.#at - start === 1) return { kind: 'any', part: this.#inSegment }
    const any: Part = { kind: 'any', part: anything }
    if (this.dialect !== 'paths') return any
    const before = this.characters[start - 1]
    if (this.characters[this.#at] !== '/' || (before !== undefined && before !== '/')) return any
    this.#at++
    return { kind: 'maybe', part: { kind: 'all', parts: [any, slash] } }
  }

  #choices(): Part[] {
    const choices: Part[] = []
    for (;;) {
      choices.push({ kind: 'all', parts: this.sequence(true) })
      if (this.#take() === '}') return choices
    }
  }

  #class(): (character: string) => boolean {
    const negated = /^[!^]$/.test(this.characters[this.#at] ?? '')
    if (negated) this.#at++
    const ranges: (readonly [from: string, to: string])[] = []
    for (let first = this.#take(); first !== ']'; first = this.#take()) {
      const from = first === '\\' ? this.#take() : first
      ranges.push([from, this.#endOfRange(from)])
    }
    if (ranges.length === 0) throw new Malformed()
    return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== negated
  }

  #endOfRange(from: string): string {
    const next = this.characters[this.#at + 1]
    if (this.characters[this.#at] !== '-' || next === undefined || next === ']') return from
    this.#at++
    const to = this.#take()
    return to === '\\' ? this.#take() : to
  }

  #take(): string {
    const character = this.characters[this.#at++]
    if (character === undefined) throw new Malformed()
    return character
  }
}
