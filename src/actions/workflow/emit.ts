import type { Node } from './tree.ts'

/**
 * Plain scalars that are printed without quotes. A YAML reader interprets such a word (as a number, a date, a boolean
 * of an older YAML) exactly as it does in the original file.
 */
const bare = /^[A-Za-z0-9_.+-]+$/

/**
 * Prints a tree as YAML: block style, one entry per line. Quoted scalars are JSON strings, which are valid YAML (1.2,
 * 1.2).
 */
export function emit(node: Node): string {
  const lines: string[] = []
  print(node, '', '', lines)
  return `${lines.join('\n')}\n`
}

function print(node: Node, head: string, indent: string, lines: string[]): void {
  if (node.kind === 'scalar') lines.push(`${head}${inline(node.text, node.plain)}`)
  else if (node.kind === 'list') printList(node.items, head, indent, lines)
  else printDict(node.entries, head, indent, lines)
}

function printList(items: readonly Node[], head: string, indent: string, lines: string[]): void {
  if (items.length === 0) lines.push(`${head}[]`)
  else if (head !== '') lines.push(head.trimEnd())
  for (const item of items) {
    // A nested list or mapping starts on its own line.
    print(item, `${indent}- `, `${indent}  `, lines)
  }
}

function printDict(entries: ReadonlyMap<string, Node>, head: string, indent: string, lines: string[]): void {
  if (entries.size === 0) lines.push(`${head}{}`)
  else if (head !== '') lines.push(head.trimEnd())
  for (const [key, value] of entries) print(value, `${indent}${plainOrQuoted(key)}: `, `${indent}  `, lines)
}

/** An empty plain scalar means null. */
function inline(text: string, plain: boolean): string {
  if (plain && (text === '' || text === '~')) return 'null'
  return plain ? plainOrQuoted(text) : quoted(text)
}

/** `-` and `---` have a meaning at the beginning of a line. */
const plainOrQuoted = (text: string) =>
  bare.test(text) && !/^(?:-+|\.\.\.)$/.test(text) ? text : quoted(text)

/** Characters that YAML forbids or reads as line breaks (YAML 1.2, 5.1; 1.1, 5.4) although JSON allows them. */
const unprintable = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g

const quoted = (text: string) =>
  JSON.stringify(text).replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
