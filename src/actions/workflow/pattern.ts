import { WorkflowFault } from './fault.ts'

/** Whether a pattern matches the whole name. */
export type Matches = (name: string) => boolean

/** Maximum length of a pattern: the time of a match grows with it times the length of the name. */
const maxLength = 1000

/** One instruction of the compiled pattern: consume a character, or continue at several targets. */
type Instruction =
  | { readonly kind: 'eat'; readonly matches: (character: string) => boolean }
  | { readonly kind: 'fork'; readonly targets: readonly number[] }

/** A node of the parsed pattern, before it is compiled. */
type PatternNode =
  | { readonly kind: 'one'; readonly matches: (character: string) => boolean }
  | { readonly kind: 'all'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'either'; readonly choices: readonly PatternNode[] }
  | { readonly kind: 'maybe' | 'some' | 'any'; readonly part: PatternNode }

const notSlash: PatternNode = { kind: 'one', matches: (character) => character !== '/' }
const anything: PatternNode = { kind: 'one', matches: () => true }
const slash: PatternNode = { kind: 'one', matches: (character) => character === '/' }

/**
 * Compiles a filter pattern of `on:` without its leading `!`. `*` matches anything but a slash, `**` anything; `?` and
 * `+` make the preceding item optional or repeated; `[a-z]` and `[!a-z]` are classes, `{a,b}` alternatives; `\` escapes
 * the next character. A `**` between slashes, or between the start and a slash, also matches no directory.
 *
 * The pattern becomes a program without backtracking (Thompson, 1968), since users write the patterns: matching takes
 * time proportional to pattern times name.
 *
 * @throws WorkflowFault when it is malformed
 */
export function compilePattern(pattern: string): Matches {
  const characters = [...pattern]
  if (characters.length > maxLength) throw new WorkflowFault('a filter pattern is too long')
  const reader = new Reader(characters)
  const program: Instruction[] = []
  assemble({ kind: 'all', parts: reader.sequence(false) }, program)
  return (name) => run(program, name)
}

class Reader {
  #at = 0
  constructor(readonly characters: readonly string[]) {}

  /** Reads to the end or, inside braces, to a comma or the closing brace, which stay unread. */
  sequence(inBraces: boolean): PatternNode[] {
    const parts: PatternNode[] = []
    for (;;) {
      const character = this.characters[this.#at]
      if (character === undefined || (inBraces && (character === ',' || character === '}'))) return parts
      if (character === '?' || character === '+') this.#postfix(character, parts)
      else parts.push(this.#part())
    }
  }

  #postfix(character: '?' | '+', parts: PatternNode[]): void {
    const part = parts.pop()
    if (!part) throw new WorkflowFault(`a filter pattern has "${character}" after nothing`)
    this.#at++
    parts.push({ kind: character === '?' ? 'maybe' : 'some', part })
  }

  #part(): PatternNode {
    const character = this.#take()
    if (character === '*') return this.#stars()
    if (character === '[') return { kind: 'one', matches: this.#class() }
    if (character === '{') return { kind: 'either', choices: this.#choices() }
    const literal = character === '\\' ? this.#take() : character
    return { kind: 'one', matches: (other) => other === literal }
  }

  #stars(): PatternNode {
    const start = this.#at - 1
    while (this.characters[this.#at] === '*') this.#at++
    if (this.#at - start === 1) return { kind: 'any', part: notSlash }
    const any: PatternNode = { kind: 'any', part: anything }
    const before = this.characters[start - 1]
    if (this.characters[this.#at] !== '/' || (before !== undefined && before !== '/')) return any
    this.#at++
    return { kind: 'maybe', part: { kind: 'all', parts: [any, slash] } }
  }

  #choices(): PatternNode[] {
    const choices: PatternNode[] = []
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

/** Appends the instructions of a node; they continue at the instruction after them. */
function assemble(node: PatternNode, program: Instruction[]): void {
  if (node.kind === 'one') program.push({ kind: 'eat', matches: node.matches })
  else if (node.kind === 'all') for (const each of node.parts) assemble(each, program)
  else if (node.kind === 'either') assembleChoices(node.choices, program)
  else assembleRepeat(node, program)
}

function assembleChoices(choices: readonly PatternNode[], program: Instruction[]): void {
  const fork = program.push({ kind: 'fork', targets: [] }) - 1
  const targets: number[] = []
  const ends: number[] = []
  for (const choice of choices) {
    targets.push(program.length)
    assemble(choice, program)
    ends.push(program.push({ kind: 'fork', targets: [] }) - 1)
  }
  program[fork] = { kind: 'fork', targets }
  for (const end of ends) program[end] = { kind: 'fork', targets: [program.length] }
}

function assembleRepeat(
  { kind, part }: { kind: 'maybe' | 'some' | 'any'; part: PatternNode },
  program: Instruction[],
): void {
  const start = kind === 'some' ? program.length : program.push({ kind: 'fork', targets: [] }) - 1
  assemble(part, program)
  if (kind !== 'maybe') program.push({ kind: 'fork', targets: [start, program.length + 1] })
  if (kind !== 'some') program[start] = { kind: 'fork', targets: [start + 1, program.length] }
}

/** Simulates all positions of the program at once, character by character. */
function run(program: readonly Instruction[], name: string): boolean {
  let positions = new Set<number>()
  addReachable(program, 0, positions)
  for (const character of name) {
    const next = new Set<number>()
    for (const position of positions) {
      const instruction = program[position]
      if (instruction?.kind === 'eat' && instruction.matches(character))
        addReachable(program, position + 1, next)
    }
    if (next.size === 0) return false
    positions = next
  }
  return positions.has(program.length)
}

/** Adds a position and all that can be reached from it without consuming a character. */
function addReachable(program: readonly Instruction[], from: number, positions: Set<number>): void {
  const open = [from]
  for (let position = open.pop(); position !== undefined; position = open.pop()) {
    if (positions.has(position)) continue
    positions.add(position)
    const instruction = program[position]
    if (instruction?.kind === 'fork') open.push(...instruction.targets)
  }
}
