/** Whether the whole text matches. */
export type Matcher = (text: string) => boolean

/**
 * What the signs of a glob mean. In both, `[a-z]` and `[!a-z]` (or `[^a-z]`) match one character of a class, `{a,b}` one
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

type Part =
  | { readonly kind: 'one'; readonly fits: (character: string) => boolean }
  | { readonly kind: 'all'; readonly parts: readonly Part[] }
  | { readonly kind: 'either'; readonly choices: readonly Part[] }
  | { readonly kind: 'maybe' | 'some' | 'any'; readonly part: Part }

/** Consumes a character, or continues at each of the targets. */
type Instruction = { readonly fits: (character: string) => boolean } | { readonly targets: number[] }

class Malformed extends Error {}

/**
 * Compiles a glob; undefined if it is malformed: an open bracket or brace, an empty class, nothing after the backslash
 * or before a postfix sign.
 *
 * It becomes a program without backtracking (Thompson, 1968): globs come from untrusted users, and a match takes time
 * in proportion to pattern times text, where that of a regular expression could be exponential.
 */
export function compileGlob(pattern: string, dialect: Dialect = 'names'): Matcher | undefined {
  const program: Instruction[] = []
  try {
    assemble({ kind: 'all', parts: new Reader([...pattern], dialect).sequence(false) }, program)
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
  return (text) => run(program, text)
}

const anything: Part = { kind: 'one', fits: () => true }
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

/** Appends the instructions of a part; they continue at the instruction after them. */
function assemble(part: Part, program: Instruction[]): void {
  if (part.kind === 'one') program.push(part)
  else if (part.kind === 'all') for (const each of part.parts) assemble(each, program)
  else if (part.kind === 'either') {
    const starts = fork(program)
    const ends = part.choices.map((choice) => {
      starts.push(program.length)
      assemble(choice, program)
      return fork(program)
    })
    for (const end of ends) end.push(program.length)
  } else {
    const skip = part.kind === 'some' ? undefined : fork(program)
    const start = program.length
    assemble(part.part, program)
    if (part.kind !== 'maybe') fork(program).push(start, program.length)
    skip?.push(start, program.length)
  }
}

/** Appends an instruction that continues elsewhere; returns its targets, which are still empty. */
function fork(program: Instruction[]): number[] {
  const targets: number[] = []
  program.push({ targets })
  return targets
}

/** Follows all positions of the program at once, character by character. */
function run(program: readonly Instruction[], text: string): boolean {
  let positions = reachable(program, [0])
  for (const character of text) {
    const next: number[] = []
    for (const position of positions) {
      const instruction = program[position]
      if (instruction && 'fits' in instruction && instruction.fits(character)) next.push(position + 1)
    }
    if (next.length === 0) return false
    positions = reachable(program, next)
  }
  return positions.has(program.length)
}

/** These positions, and all that can be reached from them without consuming a character. */
function reachable(program: readonly Instruction[], from: readonly number[]): Set<number> {
  const positions = new Set<number>()
  const open = [...from]
  for (let position = open.pop(); position !== undefined; position = open.pop()) {
    if (positions.has(position)) continue
    positions.add(position)
    const instruction = program[position]
    if (instruction && 'targets' in instruction) open.push(...instruction.targets)
  }
  return positions
}
