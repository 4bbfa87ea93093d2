/** Whether the whole text matches. */
export type Matcher = (text: string) => boolean

type Node =
  | { readonly kind: 'one'; readonly fits: (character: string) => boolean }
  | { readonly kind: 'any' }
  | { readonly kind: 'either'; readonly choices: readonly (readonly Node[])[] }

/** The position in a pattern. */
interface Reader {
  readonly characters: readonly string[]
  at: number
}

class Malformed extends Error {}

/**
 * Compiles a glob: `*` and `**` match any run of characters, slashes included, `?` one character, `[a-z]` and `[!a-z]`
 * (or `[^a-z]`) one of a class, `{a,b}` one of several globs; `\` makes the next character literal. Returns undefined
 * for a malformed glob: an open bracket or brace, an empty class, nothing after the backslash.
 *
 * A match takes time in proportion to pattern times text: globs come from untrusted users, and a regular expression
 * made from one could take exponential time.
 */
export function compileGlob(pattern: string): Matcher | undefined {
  const reader = { characters: [...pattern], at: 0 }
  try {
    const nodes = readSequence(reader, false)
    return (text) => {
      const characters = [...text]
      return advance(nodes, new Set([0]), characters).has(characters.length)
    }
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

/** Maps the positions where the sequence may begin to those where it may end. */
function advance(nodes: readonly Node[], from: Set<number>, text: readonly string[]): Set<number> {
  let positions = from
  for (const node of nodes) {
    if (positions.size === 0) break
    positions = step(node, positions, text)
  }
  return positions
}

function step(node: Node, from: Set<number>, text: readonly string[]): Set<number> {
  const to = new Set<number>()
  if (node.kind === 'any') {
    for (let at = Math.min(...from); at <= text.length; at++) to.add(at)
    return to
  }
  if (node.kind === 'either') {
    for (const choice of node.choices) for (const at of advance(choice, from, text)) to.add(at)
    return to
  }
  for (const at of from) {
    const character = text[at]
    if (character !== undefined && node.fits(character)) to.add(at + 1)
  }
  return to
}

/** Reads up to the end, or inside braces up to a comma or the closing brace, which stay unread. */
function readSequence(reader: Reader, inBraces: boolean): Node[] {
  const nodes: Node[] = []
  for (;;) {
    const character = reader.characters[reader.at]
    if (character === undefined || (inBraces && (character === ',' || character === '}'))) return nodes
    reader.at++
    if (character !== '*') nodes.push(readNode(reader, character))
    else if (nodes.at(-1)?.kind !== 'any') nodes.push({ kind: 'any' })
  }
}

function readNode(reader: Reader, character: string): Node {
  if (character === '?') return { kind: 'one', fits: () => true }
  if (character === '[') return { kind: 'one', fits: readClass(reader) }
  if (character === '{') return { kind: 'either', choices: readChoices(reader) }
  const literal = character === '\\' ? readCharacter(reader) : character
  return { kind: 'one', fits: (other) => other === literal }
}

function readChoices(reader: Reader): Node[][] {
  const choices: Node[][] = []
  for (;;) {
    choices.push(readSequence(reader, true))
    if (readCharacter(reader) === '}') return choices
  }
}

function readClass(reader: Reader): (character: string) => boolean {
  const negated = /^[!^]$/.test(reader.characters[reader.at] ?? '')
  if (negated) reader.at++
  const ranges: (readonly [from: string, to: string])[] = []
  for (let first = readCharacter(reader); first !== ']'; first = readCharacter(reader)) {
    const from = first === '\\' ? readCharacter(reader) : first
    const next = reader.characters[reader.at + 1]
    const spans = reader.characters[reader.at] === '-' && next !== undefined && next !== ']'
    ranges.push([from, spans ? endOfRange(reader) : from])
  }
  if (ranges.length === 0) throw new Malformed()
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== negated
}

function endOfRange(reader: Reader): string {
  reader.at++
  const to = readCharacter(reader)
  return to === '\\' ? readCharacter(reader) : to
}

function readCharacter(reader: Reader): string {
  const character = reader.characters[reader.at++]
  if (character === undefined) throw new Malformed()
  return character
}
