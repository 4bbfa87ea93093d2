import type { Scope } from './expression.ts'
import { fail } from './fault.ts'
import { evaluateFlag, evaluateText } from './template.ts'
import { dict, field, isEmpty, type Node, text, textField } from './tree.ts'

/** A concurrency group before evaluation. */
export interface ConcurrencySource {
  readonly group: string
  /** An expression, or `true` or `false`. */
  readonly cancel: string
}

/** A concurrency group: one member runs at a time. */
export interface Concurrency {
  readonly group: string
  /** Whether a new member cancels the running one. */
  readonly cancel: boolean
}

/** Maximum size of `concurrency`, which may be evaluated on the main thread. */
const maxConcurrencySize = 21_000

/** Reads `concurrency:`, a group or a mapping. @throws WorkflowFault */
export function readConcurrency(node: Node | undefined): ConcurrencySource | undefined {
  if (isEmpty(node)) return undefined
  if (node.size > maxConcurrencySize) return fail('"concurrency" is too long')
  if (node.kind === 'scalar') return { group: node.text, cancel: 'false' }
  const tree = dict(node, '"concurrency"')
  const group = field(tree, 'group')
  if (!group) return fail('"concurrency" has no "group"')
  return {
    group: text(group, '"concurrency.group"'),
    cancel: textField(tree, 'cancel-in-progress', '"concurrency"') ?? 'false',
  }
}

/** @throws WorkflowFault when an expression cannot be evaluated */
export function fillConcurrency({ group, cancel }: ConcurrencySource, scope: Scope): Concurrency | undefined {
  const name = evaluateText(group, scope)
  const cancels = evaluateFlag(cancel, scope)
  return name === '' ? undefined : { group: name, cancel: cancels }
}
