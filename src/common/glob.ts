import { compileRegularExpression, type Matcher, quoted } from './regular-expression.ts'

export type { Matcher } from './regular-expression.ts'

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
 * Compiles a glob, which matches whole texts; undefined if it is malformed: an open bracket or brace, an empty class,
 * nothing after the backslash or before a postfix sign.
 */
export function compileGlob(pattern: string, dialect: Dialect = 'names'): Matcher | undefined {
  const items = new Reader([...pattern], dialect).sequence(false)
  return items && compileRegularExpression(`^${items.join('')}$`)
}

/** Translates a glob to a regular expression, item by item. Each method returns undefined for a malformed glob. */
class Reader {
  #at = 0
  /** Any one character of a segment. */
  readonly #inSegment: string

  constructor(
    readonly characters: readonly string[],
    readonly dialect: Dialect,
  ) {
    const separators = dialect === 'names' ? '' : dialect === 'paths' ? '/' : dialect.separators
    this.#inSegment = separators ? `[^${quoted(separators)}]` : '.'
  }

  /** Reads up to the end, or inside braces up to a comma or the closing brace, which stay unread. */
  sequence(inBraces: boolean): string[] | undefined {
    const items: string[] = []
    for (;;) {
      const character = this.characters[this.#at]
      if (character === undefined || (inBraces && (character === ',' || character === '}'))) return items
      this.#at++
      const isPostfix = this.dialect === 'paths' && (character === '?' || character === '+')
      const item = isPostfix ? items.pop() : this.#item(character)
      if (item === undefined) return undefined
      items.push(isPostfix ? `(?:${item})${character}` : item)
    }
  }

  #item(character: string): string | undefined {
    if (character === '*') return this.#stars()
    if (character === '?') return this.#inSegment
    if (character === '[') return this.#class()
    if (character === '{') return this.#choices()
    const literal = character === '\\' ? this.#take() : character
    return literal && quoted(literal)
  }

  #stars(): string {
    const start = this.#at - 1
    while (this.characters[this.#at] === '*') this.#at++
    if (this.#at - start === 1) return `${this.#inSegment}*`
    if (this.dialect !== 'paths') return '.*'
    const before = this.characters[start - 1]
    if (this.characters[this.#at] !== '/' || (before !== undefined && before !== '/')) return '.*'
    this.#at++
    return '(?:.*/)?'
  }

  #choices(): string | undefined {
    const choices: string[] = []
    for (;;) {
      const items = this.sequence(true)
      const end = this.#take()
      if (!items || end === undefined) return undefined
      choices.push(items.join(''))
      if (end === '}') return `(?:${choices.join('|')})`
    }
  }

  #class(): string | undefined {
    const isNegated = /^[!^]$/.test(this.characters[this.#at] ?? '')
    if (isNegated) this.#at++
    const ranges: string[] = []
    for (let first = this.#take(); first !== ']'; first = this.#take()) {
      const from = first === '\\' ? this.#take() : first
      const to = this.#endOfRange(from)
      if (from === undefined || to === undefined) return undefined
      ranges.push(`${quoted(from)}-${quoted(to)}`)
    }
    return ranges.length === 0 ? undefined : `[${isNegated ? '^' : ''}${ranges.join('')}]`
  }

  #endOfRange(from: string | undefined): string | undefined {
    const next = this.characters[this.#at + 1]
    if (this.characters[this.#at] !== '-' || next === undefined || next === ']') return from
    this.#at++
    const to = this.#take()
    return to === '\\' ? this.#take() : to
  }

  #take(): string | undefined {
    return this.characters[this.#at++]
  }
}
