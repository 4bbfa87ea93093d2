import type { Scope } from './expression.ts'
import { fail, quote } from './fault.ts'
import { evaluateTemplate, hasExpression } from './template.ts'
import { type Dict, dict, dictOf, field, list, type Node, type Scalar } from './tree.ts'
import { nodeOfValue } from './values.ts'

/** Maximum combinations of a run. */
export const maxJobs = 256

/** Names and their values, in the order of the file. */
export type Combination = ReadonlyMap<string, Node>

/**
 * The combinations of `strategy.matrix`: the product of its lists, without those that `exclude` matches, extended by
 * the entries of `include`. Sorted by their printed values.
 * @throws WorkflowFault
 */
export function expandMatrix(node: Node, scope: Scope): Combination[] {
  const matrix = dict(evaluated(node, scope), '"strategy.matrix"')
  const axes = [...matrix.entries].filter(([name]) => name !== 'include' && name !== 'exclude')
  const lists = axes.map(([name, values]) => axis(name, values, scope))
  const excluded = entriesOf(matrix, 'exclude', scope)
  checkExcluded(excluded, new Set(axes.map(([name]) => name)))
  const included = product(lists).filter((each) => !excluded.some((entry) => matchesEntry(entry, each)))
  const combinations = include(
    included,
    entriesOf(matrix, 'include', scope),
    new Set(axes.map(([name]) => name)),
  )
  if (combinations.length === 0) fail('the matrix has no combinations')
  if (combinations.length > maxJobs) fail(`the matrix has more than ${maxJobs} combinations`)
  const sortable = combinations.map((combination) => ({ combination, name: printCombination(combination) }))
  return sortable
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ combination }) => combination)
}

/** The values for the name of a job, in the order of their names: `a, 3.1` for `{x: a, y: 3.10}`. */
export const printCombination = (combination: Combination): string => inOrder(combination).join(', ')

/** The printed values in the order of their names. */
function inOrder(
  entries: ReadonlyMap<string, Node>,
  print = (_: string, value: Node) => printValue(value),
): string[] {
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
  return sorted.map(([key, value]) => print(key, value))
}

/** Prints a value like the language of the original, since names of commit statuses contain it. */
function printValue(node: Node): string {
  if (node.kind === 'scalar') return printScalar(node)
  if (node.kind === 'list') return `[${node.items.map(printValue).join(' ')}]`
  return `map[${inOrder(node.entries, (key, value) => `${key}:${printValue(value)}`).join(' ')}]`
}

function printScalar({ value, text }: Scalar): string {
  if (value === null) return '<nil>'
  if (typeof value !== 'number') return String(value)
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  // JavaScript would change the last digits of a long number.
  if (!Number.isSafeInteger(value) && /^-?[1-9][0-9]+$/.test(text)) return text
  if (value === 0 || Math.abs(value) >= 1e-4) return String(value)
  return value.toExponential().replace(/e-(\d)$/, 'e-0$1')
}

/** Evaluates a text that contains an expression. */
function evaluated(node: Node, scope: Scope): Node {
  return node.kind === 'scalar' && hasExpression(node.text)
    ? nodeOfValue(evaluateTemplate(node.text, scope))
    : node
}

function axis(name: string, node: Node, scope: Scope): readonly (readonly [string, Node])[] {
  const values = list(evaluated(node, scope), `"strategy.matrix.${name}"`).items
  if (values.length === 0) fail(`"strategy.matrix.${name}" is empty`)
  return values.map((value) => [name, evaluated(value, scope)])
}

/** Every choice of one value from each list; empty when there are no lists. */
function product(lists: readonly (readonly (readonly [string, Node])[])[]): Combination[] {
  if (lists.length === 0) return []
  let combinations: Combination[] = [new Map()]
  for (const values of lists) {
    // `exclude` may remove some of them, but a real matrix does not exceed the limit tenfold.
    if (combinations.length * values.length > 10 * maxJobs)
      fail(`the matrix has more than ${maxJobs} combinations`)
    combinations = combinations.flatMap((each) =>
      values.map(([name, value]) => new Map([...each, [name, value]])),
    )
  }
  return combinations
}

function entriesOf(matrix: Dict, key: 'include' | 'exclude', scope: Scope): Dict[] {
  const node = field(matrix, key)
  if (!node) return []
  const { items } = list(evaluated(node, scope), `"strategy.matrix.${key}"`)
  if (items.length > 10 * maxJobs) fail(`"strategy.matrix.${key}" has too many entries`)
  return items.map((item) => {
    const { entries } = dict(evaluated(item, scope), `each entry of "strategy.matrix.${key}"`)
    return dictOf([...entries].map(([name, value]) => [name, evaluated(value, scope)]))
  })
}

function checkExcluded(entries: readonly Dict[], axes: ReadonlySet<string>): void {
  for (const entry of entries)
    for (const name of entry.entries.keys())
      if (!axes.has(name))
        fail(`"strategy.matrix.exclude" names ${quote(name)}, which the matrix does not have`)
}

/** Whether a combination has every value of an entry. */
const matchesEntry = ({ entries }: Dict, combination: Combination) =>
  [...entries].every(([name, value]) => {
    const current = combination.get(name)
    return current !== undefined && isEqual(current, value)
  })

/**
 * Each entry of `include` extends all combinations that it does not contradict; if there is none, it becomes a
 * combination of its own. An entry may overwrite values of earlier entries, but not values of the lists.
 */
function include(
  base: readonly Combination[],
  entries: readonly Dict[],
  axes: ReadonlySet<string>,
): Combination[] {
  const extended = base.map((original) => ({ original, current: original }))
  const standalone: Combination[] = []
  for (const entry of entries) {
    const shared = dictOf([...entry.entries].filter(([name]) => axes.has(name)))
    const matching = extended.filter(({ original }) => matchesEntry(shared, original))
    for (const each of matching) each.current = new Map([...each.current, ...entry.entries])
    if (matching.length === 0) standalone.push(entry.entries)
  }
  return [...extended.map(({ current }) => current), ...standalone]
}

/** Compares by value: `1.0` equals `1`; `1` and `"1"` differ. */
function isEqual(a: Node, b: Node): boolean {
  if (a.kind === 'scalar') return b.kind === 'scalar' && a.value === b.value
  if (a.kind === 'list')
    return (
      b.kind === 'list' &&
      a.items.length === b.items.length &&
      a.items.every((item, at) => isEqualAt(b, at, item))
    )
  if (b.kind !== 'dict' || a.entries.size !== b.entries.size) return false
  return [...a.entries].every(([key, value]) => {
    const other = b.entries.get(key)
    return other !== undefined && isEqual(value, other)
  })
}

function isEqualAt({ items }: { readonly items: readonly Node[] }, at: number, item: Node): boolean {
  const other = items[at]
  return other !== undefined && isEqual(item, other)
}
