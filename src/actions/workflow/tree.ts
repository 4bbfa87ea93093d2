import { fail, quote } from './fault.ts'

/** A scalar and its source text: `1.10` has the number value 1.1, and runners receive `1.10`. */
export interface Scalar {
  readonly kind: 'scalar'
  readonly value: string | number | boolean | null
  /** The source text of a value that is not a string; otherwise the string itself. */
  readonly text: string
  /** Whether the file has it as a plain (unquoted) scalar. */
  readonly plain: boolean
  /** Size when printed, in nodes and characters; see `maxSize` in yaml.ts. */
  readonly size: number
}

interface List {
  readonly kind: 'list'
  readonly items: readonly Node[]
  readonly size: number
}

/** A mapping in the order of its file; keys are strings. */
export interface Dict {
  readonly kind: 'dict'
  readonly entries: ReadonlyMap<string, Node>
  readonly size: number
}

/**
 * A YAML document with its anchors, aliases and merge keys resolved. Aliased nodes are shared, so that a tree is never
 * larger in memory than its file.
 */
export type Node = Scalar | List | Dict

export const listOf = (items: readonly Node[]): List => ({
  kind: 'list',
  items,
  size: items.reduce((sum, { size }) => sum + size, 1),
})

export function dictOf(entries: Iterable<readonly [string, Node]>): Dict {
  const map = new Map(entries)
  let size = 1
  for (const [key, node] of map) size += key.length + node.size
  return { kind: 'dict', entries: map, size }
}

/** A string, printed with quotes where it needs them. */
export const stringOf = (text: string): Scalar => ({
  kind: 'scalar',
  value: text,
  text,
  plain: false,
  size: 1 + text.length,
})

/** A number, boolean or null, printed as in JSON. */
export function plainOf(value: number | boolean | null): Scalar {
  const text = String(value)
  return { kind: 'scalar', value, text, plain: true, size: 1 + text.length }
}

/** Whether a node is absent or null (`key:`). */
export const isEmpty = (node: Node | undefined): node is undefined | (Scalar & { value: null }) =>
  node === undefined || (node.kind === 'scalar' && node.value === null)

/** The value of a key; undefined if absent or null. */
export function field(dict: Dict, key: string): Node | undefined {
  const node = dict.entries.get(key)
  return isEmpty(node) ? undefined : node
}

/** @throws WorkflowFault unless it is a mapping */
export function dict(node: Node, what: string): Dict {
  return node.kind === 'dict' ? node : fail(`${what} must be a mapping`)
}

/** @throws WorkflowFault unless it is a list */
export function list(node: Node, what: string): List {
  return node.kind === 'list' ? node : fail(`${what} must be a list`)
}

/** The text of any scalar. @throws WorkflowFault when it is a list or a mapping */
export function text(node: Node, what: string): string {
  return node.kind === 'scalar' ? node.text : fail(`${what} must be a string`)
}

/** One text or a list of texts. @throws WorkflowFault when it is anything else */
export function texts(node: Node | undefined, what: string): string[] {
  if (isEmpty(node)) return []
  if (node.kind === 'scalar') return [node.text]
  return list(node, what).items.map((item) => text(item, `each entry of ${what}`))
}

/** The text of a key's value, or undefined. @throws WorkflowFault when it is a list or a mapping */
export function textField(from: Dict, key: string, what: string): string | undefined {
  const node = field(from, key)
  return node && text(node, `${what}: ${quote(key)}`)
}
