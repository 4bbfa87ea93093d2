import { asksFor } from './condition.ts'
import type { Scope } from './expression.ts'
import { refuse } from './fault.ts'
import { fill, fillFlag } from './template.ts'
import { type Dict, field, type Node } from './tree.ts'

/** What `strategy` says of the jobs that a matrix makes. */
export interface Strategy {
  readonly matrix: Node | undefined
  /** Whether the failure of one of them ends the others. */
  readonly failFast: boolean
  /** How many of them may be under way at a time; undefined: all. */
  readonly maxParallel: number | undefined
}

/** Reads `strategy` of a job, which comes before any other job has run. @throws WorkflowFault */
export function readStrategy({ tree, key }: { tree: Dict; key: string }, scope: Scope): Strategy {
  const node = field(tree, 'strategy')
  if (!node) return { matrix: undefined, failFast: true, maxParallel: undefined }
  if (node.kind !== 'dict') return refuse(`"strategy" of job "${key}" must be a mapping`)
  const [matrix, failFast, maxParallel] = [
    field(node, 'matrix'),
    field(node, 'fail-fast'),
    field(node, 'max-parallel'),
  ]
  if (matrix) refuseNeeds(matrix, 'a matrix')
  return {
    matrix,
    failFast: failFast === undefined || flagOf(failFast, scope),
    maxParallel: maxParallel && boundOf(maxParallel, scope),
  }
}

function flagOf(node: Node, scope: Scope): boolean {
  if (node.kind !== 'scalar') return refuse('"fail-fast" must be true or false')
  refuseNeeds(node, '"fail-fast"')
  return fillFlag(node.text, scope)
}

function boundOf(node: Node, scope: Scope): number {
  if (node.kind !== 'scalar') return refuse('"max-parallel" must be a number')
  refuseNeeds(node, '"max-parallel"')
  const bound = fill(node.text, scope).number()
  return Number.isInteger(bound) && bound > 0 ? bound : refuse('"max-parallel" must be a number above 0')
}

function refuseNeeds(node: Node, what: string): void {
  if (node.kind === 'scalar') {
    if (asksFor(node.text, 'needs')) refuse(`${what} that depends on "needs" is not supported`)
    return
  }
  for (const each of node.kind === 'list' ? node.items : node.entries.values()) refuseNeeds(each, what)
}
