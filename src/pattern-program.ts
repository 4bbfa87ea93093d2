/**
 * Patterns as programs without backtracking (Thompson, 1968). Patterns come from untrusted users: here a match takes time
 * in proportion to pattern times text, while a regular expression of JavaScript could take exponential time.
 */

/** Whether the whole text matches. */
export type Matcher = (text: string) => boolean

/** A part of a pattern. `edge`: nothing, at the start or at the end of the text. */
export type Part =
  | { readonly kind: 'one'; readonly fits: (character: string) => boolean }
  | { readonly kind: 'all'; readonly parts: readonly Part[] }
  | { readonly kind: 'either'; readonly choices: readonly Part[] }
  | { readonly kind: 'maybe' | 'some' | 'any'; readonly part: Part }
  | { readonly kind: 'edge'; readonly edge: Edge }

type Edge = 'start' | 'end'

/** Any one character. */
export const anything: Part = { kind: 'one', fits: () => true }

/** Consumes a character, or continues at each of the targets, or continues at an edge of the text only. */
type Instruction =
  | { readonly fits: (character: string) => boolean }
  | { readonly targets: number[] }
  | { readonly edge: Edge }

/** Thrown for a malformed pattern while it is read. */
export class Malformed extends Error {}

/** Maximum instructions of a program: each character of a text may take as many steps. */
const maxInstructions = 20_000

/** The matcher of a pattern; undefined if reading it throws `Malformed`, or if it is too large. */
export function matcherFor(read: () => Part): Matcher | undefined {
  const program: Instruction[] = []
  try {
    assemble(read(), program)
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
  return (text) => run(program, text)
}

/** Appends the instructions of a part; they continue at the instruction after them. */
function assemble(part: Part, program: Instruction[]): void {
  if (program.length > maxInstructions) throw new Malformed()
  if (part.kind === 'one' || part.kind === 'edge') program.push(part)
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
  const characters = [...text]
  let positions = reachable(program, [0], { start: true, end: characters.length === 0 })
  for (const [at, character] of characters.entries()) {
    const next: number[] = []
    for (const position of positions) {
      const instruction = program[position]
      if (instruction && 'fits' in instruction && instruction.fits(character)) next.push(position + 1)
    }
    if (next.length === 0) return false
    positions = reachable(program, next, { start: false, end: at + 1 === characters.length })
  }
  return positions.has(program.length)
}

/** These positions, and all that can be reached from them without consuming a character. */
function reachable(
  program: readonly Instruction[],
  from: readonly number[],
  isAt: Readonly<Record<Edge, boolean>>,
): Set<number> {
  const positions = new Set<number>()
  const open = [...from]
  for (let position = open.pop(); position !== undefined; position = open.pop()) {
    if (positions.has(position)) continue
    positions.add(position)
    const instruction = program[position]
    if (instruction && 'targets' in instruction) open.push(...instruction.targets)
    else if (instruction && 'edge' in instruction && isAt[instruction.edge]) open.push(position + 1)
  }
  return positions
}
