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

/** Reads the `strategy` of a job. @throws WorkflowFault */
export function readStrategy({ tree, key }: { tree: Dict; key: string }, scope: Scope): Strategy {
  const node = field(tree, 'strategy')
  if (!node) return { matrix: undefined, failFast: true, maxParallel: undefined }
  if (node.kind !== 'dict') return fail(`"strategy" of job "${key}" must be a mapping`)
  const matrix = field(node, 'matrix')
  const failFast = field(node, 'fail-fast')
  const maxParallel = field(node, 'max-parallel')
  return {
    matrix,
    failFast: failFast === undefined || flagOf(failFast, scope),
    maxParallel: maxParallel && maxParallelOf(maxParallel, scope),
  }
}

function flagOf(node: Node, scope: Scope): boolean {
  if (node.kind !== 'scalar') return fail('"fail-fast" must be true or false')
  return evaluateFlag(node.text, scope)
}

function maxParallelOf(node: Node, scope: Scope): number {
  if (node.kind !== 'scalar') return fail('"max-parallel" must be a number')
  const bound = evaluateTemplate(node.text, scope).number()
  return Number.isInteger(bound) && bound > 0 ? bound : fail('"max-parallel" must be a number above 0')
}
