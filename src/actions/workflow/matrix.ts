import type { Scope } from './expression.ts'
import { quote, refuse } from './fault.ts'
import { fill, hasExpression } from './template.ts'
import { type Dict, dict, dictOf, field, list, type Node } from './tree.ts'
import { nodeOfValue } from './values.ts'

/** Combinations of a run at most. */
export const mostJobs = 256

/** Names and their values, in the order of the file. */
export type Combination = ReadonlyMap<string, Node>

/**
 * The combinations of `strategy.matrix`: the product of its lists, without what `exclude` names, with what `include`
 * adds to them or beside them. Sorted by their printed values. @throws WorkflowFault
 */
export function expandMatrix(node: Node, scope: Scope): Combination[] {
  const matrix = dict(filled(node, scope), '"strategy.matrix"')
  const axes = [...matrix.entries].filter(([name]) => name !== 'include' && name !== 'exclude')
  const lists = axes.map(([name, values]) => axis(name, values, scope))
  const excluded = entriesOf(matrix, 'exclude', scope)
  checkExcluded(excluded, new Set(axes.map(([name]) => name)))
  const kept = product(lists).filter((each) => !excluded.some((entry) => isPart(entry, each)))
  const combinations = include(kept, entriesOf(matrix, 'include', scope), new Set(axes.map(([name]) => name)))
  if (combinations.length === 0) refuse('the matrix has no combination')
  if (combinations.length > mostJobs) refuse(`the matrix has more than ${mostJobs} combinations`)
  const named = combinations.map((combination) => ({ combination, name: printCombination(combination) }))
  return named
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ combination }) => combination)
}

/** What stands in the name of a job behind its own, in the order of the file: `a, 1.10`. */
export function printCombination(combination: Combination): string {
  return [...combination.values()].map(printValue).join(', ')
}

function printValue(node: Node): string {
  if (node.kind === 'scalar') return node.text
  if (node.kind === 'list') return `[${node.items.map(printValue).join(' ')}]`
  return `{${[...node.entries].map(([key, value]) => `${key}:${printValue(value)}`).join(' ')}}`
}

/** A text that is an expression is what it comes to. */
function filled(node: Node, scope: Scope): Node {
  return node.kind === 'scalar' && hasExpression(node.text) ? nodeOfValue(fill(node.text, scope)) : node
}

function axis(name: string, node: Node, scope: Scope): readonly (readonly [string, Node])[] {
  const values = list(filled(node, scope), `"strategy.matrix.${name}"`).items
  if (values.length === 0) refuse(`"strategy.matrix.${name}" is empty`)
  return values.map((value) => [name, filled(value, scope)])
}

/** Every choice of one value from each list; one without any when there are no lists. */
function product(lists: readonly (readonly (readonly [string, Node])[])[]): Combination[] {
  if (lists.length === 0) return []
  let made: Combination[] = [new Map()]
  for (const values of lists) {
    // `exclude` may take some of them away again, but nobody writes ten times as many as may run.
    if (made.length * values.length > 10 * mostJobs)
      refuse(`the matrix has more than ${mostJobs} combinations`)
    made = made.flatMap((each) => values.map(([name, value]) => new Map([...each, [name, value]])))
  }
  return made
}

function entriesOf(matrix: Dict, key: 'include' | 'exclude', scope: Scope): Dict[] {
  const node = field(matrix, key)
  if (!node) return []
  const { items } = list(filled(node, scope), `"strategy.matrix.${key}"`)
  if (items.length > 10 * mostJobs) refuse(`"strategy.matrix.${key}" has too many entries`)
  return items.map((item) => {
    const { entries } = dict(filled(item, scope), `each entry of "strategy.matrix.${key}"`)
    return dictOf([...entries].map(([name, value]) => [name, filled(value, scope)]))
  })
}

function checkExcluded(entries: readonly Dict[], axes: ReadonlySet<string>): void {
  for (const entry of entries)
    for (const name of entry.entries.keys())
      if (!axes.has(name))
        refuse(`"strategy.matrix.exclude" names ${quote(name)}, which the matrix does not have`)
}

/** Whether an entry says nothing that the combination does not. */
const isPart = ({ entries }: Dict, combination: Combination) =>
  [...entries].every(([name, value]) => {
    const own = combination.get(name)
    return own !== undefined && isSame(own, value)
  })

/**
 * Each entry is added to all combinations that it does not contradict, or, when there is none, becomes one of its own.
 * What an earlier entry added may be overwritten, what the lists said may not.
 */
function include(
  kept: readonly Combination[],
  entries: readonly Dict[],
  axes: ReadonlySet<string>,
): Combination[] {
  const extended = kept.map((original) => ({ original, now: original }))
  const alone: Combination[] = []
  for (const entry of entries) {
    const shared = dictOf([...entry.entries].filter(([name]) => axes.has(name)))
    const fitting = extended.filter(({ original }) => isPart(shared, original))
    for (const each of fitting) each.now = new Map([...each.now, ...entry.entries])
    if (fitting.length === 0) alone.push(entry.entries)
  }
  return [...extended.map(({ now }) => now), ...alone]
}

/** Equal as values: `1.0` and `1` are, `1` and `"1"` are not. */
function isSame(a: Node, b: Node): boolean {
  if (a.kind === 'scalar') return b.kind === 'scalar' && a.value === b.value
  if (a.kind === 'list')
    return (
      b.kind === 'list' &&
      a.items.length === b.items.length &&
      a.items.every((item, at) => sameAt(b, at, item))
    )
  if (b.kind !== 'dict' || a.entries.size !== b.entries.size) return false
  return [...a.entries].every(([key, value]) => {
    const other = b.entries.get(key)
    return other !== undefined && isSame(value, other)
  })
}

function sameAt({ items }: { readonly items: readonly Node[] }, at: number, item: Node): boolean {
  const other = items[at]
  return other !== undefined && isSame(item, other)
}
