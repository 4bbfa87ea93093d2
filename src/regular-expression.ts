import { anything, Malformed, type Matcher, matcherFor, type Part } from './pattern-program.ts'

/**
 * Compiles a regular expression of users, which matches anywhere in a text; undefined if it is malformed. It has the syntax
 * of RE2 without word boundaries, classes of Unicode, and flags other than `(?i)` at the start. `.` matches every character.
 */
export function compileRegularExpression(pattern: string): Matcher | undefined {
  const ignoresCase = pattern.startsWith('(?i)')
  const characters = [...(ignoresCase ? pattern.slice('(?i)'.length) : pattern)]
  const around: Part = { kind: 'any', part: anything }
  return matcherFor(() => ({
    kind: 'all',
    parts: [around, new Reader(characters, ignoresCase).whole(), around],
  }))
}

type Fits = (character: string) => boolean

const classes: Readonly<Record<string, Fits>> = {
  d: (character) => /^\d$/.test(character),
  w: (character) => /^\w$/.test(character),
  s: (character) => /^[\t\n\f\r ]$/.test(character),
}

/** Maximum repetitions in braces. */
const maxRepeat = 1000

class Reader {
  #at = 0

  constructor(
    readonly characters: readonly string[],
    readonly ignoresCase: boolean,
  ) {}

  whole(): Part {
    const part = this.#choices()
    if (this.#at < this.characters.length) throw new Malformed()
    return part
  }

  #choices(): Part {
    const choices = [this.#sequence()]
    while (this.#skip('|')) choices.push(this.#sequence())
    return { kind: 'either', choices }
  }

  #sequence(): Part {
    const parts: Part[] = []
    for (;;) {
      const next = this.characters[this.#at]
      if (next === undefined || next === '|' || next === ')') return { kind: 'all', parts }
      parts.push(this.#repeated(this.#item()))
    }
  }

  #repeated(part: Part): Part {
    let repeated = part
    let isRepeated = false
    for (;;) {
      const next = this.#quantifier(repeated)
      if (!next) return repeated
      // `a**` is an error in RE2, and `a{2}{3}` too.
      if (isRepeated) throw new Malformed()
      isRepeated = true
      repeated = next
      // A lazy quantifier matches the same texts.
      this.#skip('?')
    }
  }

  #quantifier(part: Part): Part | undefined {
    if (this.#skip('*')) return { kind: 'any', part }
    if (this.#skip('+')) return { kind: 'some', part }
    if (this.#skip('?')) return { kind: 'maybe', part }
    const rest = this.characters.slice(this.#at, this.#at + 12).join('')
    const [all, minimum, comma, maximum] = /^\{(\d{1,4})(?:(,)(\d{0,4}))?\}/.exec(rest) ?? []
    if (all === undefined) return undefined
    this.#at += all.length
    return repeat(
      part,
      Number(minimum),
      comma === undefined ? Number(minimum) : maximum ? Number(maximum) : undefined,
    )
  }

  #item(): Part {
    const character = this.#take()
    if (character === '(') return this.#group()
    if (character === '[') return { kind: 'one', fits: this.#class() }
    if (character === '.') return anything
    if (character === '^') return { kind: 'edge', edge: 'start' }
    if (character === '$') return { kind: 'edge', edge: 'end' }
    if (character === '*' || character === '+' || character === '?') throw new Malformed()
    if (character === '\\') return this.#escape()
    return { kind: 'one', fits: this.#same(character) }
  }

  #group(): Part {
    const rest = this.characters.slice(this.#at, this.#at + 100).join('')
    if (rest.startsWith('?')) {
      const kind = /^\?(?::|P?<\w+>)/.exec(rest)?.[0]
      if (kind === undefined) throw new Malformed()
      this.#at += kind.length
    }
    const part = this.#choices()
    if (!this.#skip(')')) throw new Malformed()
    return part
  }

  #escape(): Part {
    if (this.#skip('A')) return { kind: 'edge', edge: 'start' }
    if (this.#skip('z')) return { kind: 'edge', edge: 'end' }
    const fits = this.#escaped()
    return { kind: 'one', fits: typeof fits === 'string' ? this.#same(fits) : fits }
  }

  /** A class, or a character. */
  #escaped(): Fits | string {
    const character = this.#take()
    const known = classes[character.toLowerCase()]
    if (known) return classes[character] ?? ((other) => !known(other))
    if (/^[\dA-Za-z]$/.test(character)) throw new Malformed()
    return character
  }

  #class(): Fits {
    const isNegated = this.#skip('^')
    const fits: Fits[] = []
    do {
      if (this.characters[this.#at] === '[' && this.characters[this.#at + 1] === ':') throw new Malformed()
      const first = this.#member()
      fits.push(typeof first === 'string' ? this.#range(first) : first)
    } while (!this.#skip(']'))
    return (character) => fits.some((each) => each(character)) !== isNegated
  }

  #member(): Fits | string {
    return this.#skip('\\') ? this.#escaped() : this.#take()
  }

  #range(from: string): Fits {
    const isRange = this.characters[this.#at] === '-' && this.characters[this.#at + 1] !== ']'
    if (!isRange) return this.#same(from)
    this.#at++
    const to = this.#member()
    if (typeof to !== 'string' || to < from) throw new Malformed()
    const fits: Fits = (character) => from <= character && character <= to
    if (!this.ignoresCase) return fits
    return (character) => fits(character.toLowerCase()) || fits(character.toUpperCase())
  }

  #same(character: string): Fits {
    if (!this.ignoresCase) return (other) => other === character
    const key = character.toLowerCase()
    return (other) => other.toLowerCase() === key
  }

  #skip(character: string): boolean {
    const isNext = this.characters[this.#at] === character
    if (isNext) this.#at++
    return isNext
  }

  #take(): string {
    const character = this.characters[this.#at++]
    if (character === undefined) throw new Malformed()
    return character
  }
}

/** A part between `minimum` and `maximum` times; `maximum` undefined: any number of times. */
function repeat(part: Part, minimum: number, maximum: number | undefined): Part {
  if (minimum > maxRepeat || (maximum !== undefined && (maximum > maxRepeat || maximum < minimum)))
    throw new Malformed()
  const required = Array<Part>(minimum).fill(part)
  const optional: Part[] =
    maximum === undefined
      ? [{ kind: 'any', part }]
      : Array<Part>(maximum - minimum).fill({ kind: 'maybe', part })
  return { kind: 'all', parts: [...required, ...optional] }
}
