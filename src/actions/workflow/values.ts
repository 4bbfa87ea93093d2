import { data } from '@actions/expressions'
import { dictOf, listOf, type Node, plainOf, stringOf } from './tree.ts'

/** A value of an expression. */
export type Value = data.ExpressionData

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** A mapping for expressions, case-insensitive. The library's own cannot hold names of Object.prototype. */
export class Names extends data.Dictionary {
  readonly #entries = new Map<string, { key: string; value: Value }>()

  override add(key: string, value: Value): void {
    const folded = key.toLowerCase()
    if (!this.#entries.has(folded)) this.#entries.set(folded, { key, value })
  }

  override get(key: string): Value | undefined {
    return this.#entries.get(key.toLowerCase())?.value
  }

  override values(): Value[] {
    return [...this.#entries.values()].map(({ value }) => value)
  }

  override pairs(): { key: string; value: Value }[] {
    return [...this.#entries.values()]
  }

  /** A copy with one name added or replaced. */
  with(key: string, value: Value): Names {
    const copy = new Names()
    copy.add(key, value)
    for (const { key: each, value: ownValue } of this.pairs()) copy.add(each, ownValue)
    return copy
  }
}

/** Converts JSON to a value of an expression. */
export function valueFrom(json: Json | undefined): Value {
  if (json === null || json === undefined) return new data.Null()
  if (typeof json === 'string') return new data.StringData(json)
  if (typeof json === 'number') return new data.NumberData(json)
  if (typeof json === 'boolean') return new data.BooleanData(json)
  if (isList(json)) return arrayOf(json.map(valueFrom))
  return namesOf(Object.entries(json).map(([key, value]) => [key, valueFrom(value)]))
}

const isList = (json: Json): json is readonly Json[] => Array.isArray(json)

function arrayOf(items: readonly Value[]): Value {
  const array = new data.Array()
  // One by one: the constructor takes arguments, and their number is limited.
  for (const item of items) array.add(item)
  return array
}

export function namesOf(entries: Iterable<readonly [string, Value]>): Names {
  const names = new Names()
  for (const [key, value] of entries) names.add(key, value)
  return names
}

/** Converts a node of a file to a value of an expression. */
export function valueFromNode(node: Node): Value {
  if (node.kind === 'scalar') return valueFrom(node.value)
  if (node.kind === 'list') return arrayOf(node.items.map(valueFromNode))
  return namesOf([...node.entries].map(([key, each]) => [key, valueFromNode(each)]))
}

/** Converts a value of an expression to a node of a file. */
export function nodeOfValue(value: Value): Node {
  if (value instanceof data.Array) return listOf(value.values().map(nodeOfValue))
  if (value instanceof data.Dictionary)
    return dictOf(value.pairs().map(({ key, value: each }) => [key, nodeOfValue(each)]))
  if (value instanceof data.NumberData || value instanceof data.BooleanData) return plainOf(value.value)
  return value instanceof data.StringData ? stringOf(value.value) : plainOf(null)
}

/** The boolean meaning of a value: empty strings, 0, null and NaN are false. */
export function isTruthy(value: Value): boolean {
  if (value instanceof data.Null) return false
  if (value instanceof data.BooleanData) return value.value
  if (value instanceof data.StringData) return value.value !== ''
  if (value instanceof data.NumberData) return value.value !== 0 && !Number.isNaN(value.value)
  return true
}

/** Whether a JSON value is an object. */
export const isObject = (json: Json | undefined): json is { readonly [key: string]: Json } =>
  typeof json === 'object' && json !== null && !Array.isArray(json)
