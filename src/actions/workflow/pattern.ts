import { WorkflowFault } from './fault.ts'

/** Whether a whole name matches. */
export type Matches = (name: string) => boolean

/** Characters of a pattern at most: what it costs grows with this times the length of the name. */
const longest = 1000

/** One step of a program: eat a character, go on in two ways, go on elsewhere. */
type Step =
  | { readonly kind: 'eat'; readonly fits: (character: string) => boolean }
  | { readonly kind: 'fork'; readonly ways: readonly number[] }

/** A part of a pattern before it is made into steps. */
type Part =
  | { readonly kind: 'one'; readonly fits: (character: string) => boolean }
  | { readonly kind: 'all'; readonly parts: readonly Part[] }
  | { readonly kind: 'either'; readonly choices: readonly Part[] }
  | { readonly kind: 'maybe' | 'some' | 'any'; readonly part: Part }

const notSlash: Part = { kind: 'one', fits: (character) => character !== '/' }
const anything: Part = { kind: 'one', fits: () => true }
const slash: Part = { kind: 'one', fits: (character) => character === '/' }

/**
 * Reads a filter pattern of `on:` without its leading `!`. `*` is any run without a slash, `**` any run, `?` and `+`
 * make what stands before them optional or repeated, `[a-z]` and `[!a-z]` are classes, `{a,b}` alternatives, `\` takes
 * the next character as it is. A `**` between slashes, or between the start and a slash, also matches no directory.
 *
 * The pattern becomes a program without backtracking (Thompson, 1968): patterns are strangers' texts, and this takes
 * time in proportion to pattern times name, whatever they are.
 *
 * @throws WorkflowFault when it is malformed
 */
export function compilePattern(pattern: string): Matches {
  const characters = [...pattern]
  if (characters.length > longest) throw new WorkflowFault('a filter pattern is too long')
  const reader = new Reader(characters)
  const steps: Step[] = []
  assemble({ kind: 'all', parts: reader.sequence(false) }, steps)
  return (name) => run(steps, name)
}

class Reader {
  #at = 0
  constructor(readonly characters: readonly string[]) {}

  /** Until the end, or inside braces until a comma or the closing brace, which stay unread. */
  sequence(inBraces: boolean): Part[] {
    const parts: Part[] = []
    for (;;) {
      const character = this.characters[this.#at]
      if (character === undefined || (inBraces && (character === ',' || character === '}'))) return parts
      if (character === '?' || character === '+') this.#postfix(character, parts)
      else parts.push(this.#part())
    }
  }

  #postfix(character: '?' | '+', parts: Part[]): void {
    const part = parts.pop()
    if (!part) throw new WorkflowFault(`a filter pattern has "${character}" after nothing`)
    this.#at++
    parts.push({ kind: character === '?' ? 'maybe' : 'some', part })
  }

  #part(): Part {
    const character = this.#take()
    if (character === '*') return this.#stars()
    if (character === '[') return { kind: 'one', fits: this.#class() }
    if (character === '{') return { kind: 'either', choices: this.#choices() }
    const literal = character === '\\' ? this.#take() : character
    return { kind: 'one', fits: (other) => other === literal }
  }

  #stars(): Part {
    const start = this.#at - 1
    while (this.characters[this.#at] === '*') this.#at++
    if (this.#at - start === 1) return { kind: 'any', part: notSlash }
    const any: Part = { kind: 'any', part: anything }
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
    if (ranges.length === 0) throw new WorkflowFault('a filter pattern has an empty class')
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
    if (character === undefined) throw new WorkflowFault('a filter pattern ends too early')
    return character
  }
}

/** Appends the steps of a part; what comes after it is the step behind them. */
function assemble(part: Part, steps: Step[]): void {
  if (part.kind === 'one') steps.push({ kind: 'eat', fits: part.fits })
  else if (part.kind === 'all') for (const each of part.parts) assemble(each, steps)
  else if (part.kind === 'either') assembleChoices(part.choices, steps)
  else assembleRepeat(part, steps)
}

function assembleChoices(choices: readonly Part[], steps: Step[]): void {
  const fork = steps.push({ kind: 'fork', ways: [] }) - 1
  const ways: number[] = []
  const ends: number[] = []
  for (const choice of choices) {
    ways.push(steps.length)
    assemble(choice, steps)
    ends.push(steps.push({ kind: 'fork', ways: [] }) - 1)
  }
  steps[fork] = { kind: 'fork', ways }
  for (const end of ends) steps[end] = { kind: 'fork', ways: [steps.length] }
}

function assembleRepeat({ kind, part }: { kind: 'maybe' | 'some' | 'any'; part: Part }, steps: Step[]): void {
  const start = kind === 'some' ? steps.length : steps.push({ kind: 'fork', ways: [] }) - 1
  assemble(part, steps)
  if (kind !== 'maybe') steps.push({ kind: 'fork', ways: [start, steps.length + 1] })
  if (kind !== 'some') steps[start] = { kind: 'fork', ways: [start + 1, steps.length] }
}

/** All places that the program can be at, character after character. */
function run(steps: readonly Step[], name: string): boolean {
  let places = new Set<number>()
  reach(steps, 0, places)
  for (const character of name) {
    const next = new Set<number>()
    for (const place of places) {
      const step = steps[place]
      if (step?.kind === 'eat' && step.fits(character)) reach(steps, place + 1, next)
    }
    if (next.size === 0) return false
    places = next
  }
  return places.has(steps.length)
}

/** Adds a place and all that can be reached from it without a character. */
function reach(steps: readonly Step[], from: number, places: Set<number>): void {
  const open = [from]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (places.has(place)) continue
    places.add(place)
    const step = steps[place]
    if (step?.kind === 'fork') open.push(...step.ways)
  }
}
