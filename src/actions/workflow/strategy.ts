import { usesContext } from './condition.ts'
import type { Scope } from './expression.ts'
import { fail } from './fault.ts'
import { evaluateFlag, evaluateTemplate } from './template.ts'
import { type Dict, field, type Node } from './tree.ts'

/** The `strategy` of a job. */
export interface Strategy {
  readonly matrix: Node | undefined
  /** Whether the failure of one job of the matrix stops the others. */
  readonly failFast: boolean
  /** How many jobs of the matrix may be active at a time; undefined: all. */
  readonly maxParallel: number | undefined
}

/**
 * Reads the `strategy` of a job. It is evaluated before any job runs, so it cannot use `needs`.
 * @throws WorkflowFault
 */
export function readStrategy({ tree, key }: { tree: Dict; key: string }, scope: Scope): Strategy {
  const node = field(tree, 'strategy')
  if (!node) return { matrix: undefined, failFast: true, maxParallel: undefined }
  if (node.kind !== 'dict') return fail(`"strategy" of job "${key}" must be a mapping`)
  const matrix = field(node, 'matrix')
  const failFast = field(node, 'fail-fast')
  const maxParallel = field(node, 'max-parallel')
  if (matrix) checkNoNeeds(matrix, 'a matrix')
  return {
    matrix,
    failFast: failFast === undefined || flagOf(failFast, scope),
    maxParallel: maxParallel && maxParallelOf(maxParallel, scope),
  }
}

function flagOf(node: Node, scope: Scope): boolean {
  if (node.kind !== 'scalar') return fail('"fail-fast" must be true or false')
  checkNoNeeds(node, '"fail-fast"')
  return evaluateFlag(node.text, scope)
}

function maxParallelOf(node: Node, scope: Scope): number {
  if (node.kind !== 'scalar') return fail('"max-parallel" must be a number')
  checkNoNeeds(node, '"max-parallel"')
  const bound = evaluateTemplate(node.text, scope).number()
  return Number.isInteger(bound) && bound > 0 ? bound : fail('"max-parallel" must be a number above 0')
}

/** @throws WorkflowFault when an expression uses `needs` */
function checkNoNeeds(node: Node, what: string): void {
  if (node.kind === 'scalar') {
    if (usesContext(node.text, 'needs')) fail(`${what} that depends on "needs" is not supported`)
    return
  }
  for (const each of node.kind === 'list' ? node.items : node.entries.values()) checkNoNeeds(each, what)
}
