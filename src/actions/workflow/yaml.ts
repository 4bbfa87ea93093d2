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
  for (const token of tokens) if (depthOf(token) > maxDepth) fail('the file is nested too deeply')
  // The library detects duplicate keys in quadratic time; `#readMap` does it while reading.
  const composer = new Composer({ merge: true, uniqueKeys: false, prettyErrors: false, logLevel: 'error' })
  const [document, ...more] = [...composer.compose(tokens)]
  if (!document) return plainOf(null)
  for (const each of [document, ...more]) {
    const [error] = each.errors
    if (error) fail(`the file is not valid YAML: ${error.message} (line ${lineAt(source, error.pos[0])})`)
  }
  if (more.some(({ contents }) => contents !== null)) fail('the file contains more than one YAML document')
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
    return fail('the file has a value that is not a scalar, a list or a mapping')
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
      if (mapping.has(name)) fail(`a mapping has the key ${quote(name)} twice`)
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
    if (key.kind !== 'scalar') return fail('a key must be a string')
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
  const scalar = (value: Scalar['value'], text: string): Scalar => {
    return { kind: 'scalar', value, text, plain, size: 1 + text.length }
  }
  const number = plain && tag === undefined ? numberIn(source ?? '') : undefined
  if (number !== undefined) return scalar(number, source ?? '')
  if (typeof value === 'string') return scalar(value.toWellFormed(), value.toWellFormed())
  const text = source ?? String(value)
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return scalar(value, text)
  return fail(`the value ${quote(text)} is of an unknown type`)
}

const prefixed = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+)$/
const decimal = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/

/**
 * The value of a number as runners read it: `010` is octal and `1_000` a number, unlike in YAML 1.2. Undefined if the text
 * is not a number.
 */
function numberIn(text: string): number | undefined {
  if (!/^[-+.0-9]/.test(text)) return undefined
  const digits = text.replaceAll('_', '')
  const [, sign = '', written] = prefixed.exec(digits) ?? []
  if (written === undefined) return decimal.test(digits) ? Number(digits) : undefined
  const value = Number(/^0[0-7]/.test(written) ? `0o${written.slice(1)}` : written)
  return sign === '-' ? -value : value
}
