import { Composer, isAlias, isCollection, isMap, isScalar, isSeq, Parser } from 'yaml'
import { fail, quote } from './fault.ts'
import { type Dict, dictOf, listOf, type Node, plainOf, type Scalar } from './tree.ts'

/** Maximum bytes of a workflow file. */
export const maxBytes = 1024 * 1024

/** Maximum nesting depth of a file: the library's composer is recursive, and the stack of a thread is limited. */
const maxDepth = 100

/** Maximum size of a tree with its aliases expanded, in nodes and characters. */
const maxSize = 4 * maxBytes

/** Maximum characters of a key: YAML allows 1024 for a key on one line, including quotes and escapes. */
const maxKeyLength = 250

/** Parses one YAML document. @throws WorkflowFault with the position of an error, or naming the limit exceeded */
export function readTree(source: string): Node {
  if (Buffer.byteLength(source) > maxBytes) fail('the file has more than 1 MiB')
  const tokens = [...new Parser().parse(source)]
  for (const token of tokens) if (depthOf(token) > maxDepth) fail('the file nests too deeply')
  // The library detects duplicate keys in quadratic time; `#readMap` does it while reading.
  const composer = new Composer({ merge: true, uniqueKeys: false, prettyErrors: false, logLevel: 'error' })
  const [document, ...more] = [...composer.compose(tokens)]
  if (!document) return plainOf(null)
  for (const each of [document, ...more]) {
    const [error] = each.errors
    if (error) fail(`the file is no YAML: ${error.message} (line ${lineAt(source, error.pos[0])})`)
  }
  if (more.some(({ contents }) => contents !== null)) fail('the file holds more than one YAML document')
  return new Reader().read(document.contents)
}

const lineAt = (source: string, at: number) => source.slice(0, at).split('\n').length

/** Depth of a syntax tree, measured without recursion. */
function depthOf(token: unknown): number {
  const open: [token: unknown, depth: number][] = [[token, 0]]
  let deepest = 0
  for (let next = open.pop(); next; next = open.pop()) {
    const [node, depth] = next
    if (typeof node !== 'object' || node === null) continue
    deepest = Math.max(deepest, depth)
    for (const key of ['key', 'value'] as const)
      if (key in node) open.push([Reflect.get(node, key), depth + 1])
    if ('items' in node && Array.isArray(node.items)) for (const item of node.items) open.push([item, depth])
  }
  return deepest
}

class Reader {
  /** The latest anchor by name; its node is set once it has been read. */
  readonly #anchors = new Map<string, { node?: Node }>()

  read(node: unknown): Node {
    if (node === null || node === undefined) return plainOf(null)
    if (isAlias(node)) return this.#readAlias(node.source)
    const anchor: { node?: Node } = {}
    if (isScalar(node) || isCollection(node)) if (node.anchor) this.#anchors.set(node.anchor, anchor)
    const read = this.#readNew(node)
    if (read.size > maxSize) fail('the file becomes too large when its aliases are written out')
    anchor.node = read
    return read
  }

  #readAlias(name: string): Node {
    const anchor = this.#anchors.get(name)
    if (!anchor) fail(`the alias ${quote(name)} has no anchor before it`)
    return anchor.node ?? fail(`the anchor ${quote(name)} contains itself`)
  }

  #readNew(node: unknown): Node {
    if (isScalar(node)) return readScalar(node)
    if (isSeq(node)) return listOf(node.items.map((item) => this.read(item)))
    if (isMap(node)) return this.#readMap(node.items)
    return fail('the file holds something that is neither text, list nor mapping')
  }

  #readMap(pairs: readonly { key: unknown; value: unknown }[]): Dict {
    const mapping = new Map<string, Node>()
    const merged: Dict[] = []
    for (const { key, value } of pairs) {
      if (isScalar(key) && typeof key.value === 'symbol') {
        merged.push(...this.#merged(this.read(value)))
        continue
      }
      const name = this.#key(key)
      if (mapping.has(name)) fail(`the key ${quote(name)} stands twice in one mapping`)
      mapping.set(name, this.read(value))
    }
    // Keys of the mapping itself take precedence, then those of merged mappings in order.
    for (const { entries } of merged)
      for (const [name, node] of entries) if (!mapping.has(name)) mapping.set(name, node)
    return dictOf(mapping)
  }

  #merged(node: Node): readonly Dict[] {
    const parts = node.kind === 'list' ? node.items : [node]
    return parts.map((part) => (part.kind === 'dict' ? part : fail('"<<" takes mappings only')))
  }

  #key(node: unknown): string {
    const key = this.read(node)
    if (key.kind !== 'scalar') return fail('a key must be a text')
    return key.text.length <= maxKeyLength ? key.text : fail(`the key ${quote(key.text)} is too long`)
  }
}

interface ScalarNode {
  value: unknown
  source?: string
  type?: string
  tag?: string
}

function readScalar({ value, source, type, tag }: ScalarNode): Scalar {
  const plain = type === 'PLAIN'
  const number = plain && tag === undefined ? numberIn(source ?? '') : undefined
  if (number !== undefined && source !== undefined)
    return { kind: 'scalar', value: number, text: source, plain, size: 1 + source.length }
  if (typeof value === 'string') {
    const whole = value.toWellFormed()
    return { kind: 'scalar', value: whole, text: whole, plain, size: 1 + whole.length }
  }
  const written = source ?? String(value)
  const scalar = typeof value === 'number' || typeof value === 'boolean' ? value : null
  if (scalar === null && value !== null) fail(`the value ${quote(written)} has no meaning here`)
  return { kind: 'scalar', value: scalar, text: written, plain, size: 1 + written.length }
}

const prefixed = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+)$/
const decimal = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/

/**
 * The value of a number as runners read it: `010` is octal and `1_000` a number, which YAML 1.2 no longer has. Undefined if
 * the text is no number.
 */
function numberIn(text: string): number | undefined {
  if (!/^[-+.0-9]/.test(text)) return undefined
  const digits = text.replaceAll('_', '')
  const [, sign = '', written] = prefixed.exec(digits) ?? []
  if (written === undefined) return decimal.test(digits) ? Number(digits) : undefined
  const value = Number(/^0[0-7]/.test(written) ? `0o${written.slice(1)}` : written)
  return sign === '-' ? -value : value
}
