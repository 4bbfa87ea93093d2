import type { Node } from './tree.ts'

/**
 * What is printed as it was written. Whatever a reader may take such a word for (a number, a date, a truth value of an
 * older YAML), it takes it for the same in the file that it came from.
 */
const bare = /^[A-Za-z0-9_.+-]+$/

/** A tree as YAML: blocks, one entry a line. What needs quotes is written as JSON, which YAML holds (YAML 1.2, 1.2). */
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
    // A list or mapping inside a list begins on a line of its own.
    print(item, `${indent}- `, `${indent}  `, lines)
  }
}

function printDict(entries: ReadonlyMap<string, Node>, head: string, indent: string, lines: string[]): void {
  if (entries.size === 0) lines.push(`${head}{}`)
  else if (head !== '') lines.push(head.trimEnd())
  for (const [key, value] of entries) print(value, `${indent}${word(key)}: `, `${indent}  `, lines)
}

/** An empty plain text is nothing, which `null` says too. */
function inline(text: string, plain: boolean): string {
  if (plain && (text === '' || text === '~')) return 'null'
  return plain ? word(text) : quoted(text)
}

/** `-` and `---` mean something at the beginning of a line. */
const word = (text: string) => (bare.test(text) && !/^(?:-+|\.\.\.)$/.test(text) ? text : quoted(text))

/** What YAML does not take as it is, or takes for the end of a line (YAML 1.2, 5.1; 1.1, 5.4), though JSON does not. */
const unprintable = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g

const quoted = (text: string) =>
  JSON.stringify(text).replace(
    unprintable,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
