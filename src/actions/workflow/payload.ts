import { emit } from './emit.ts'
import type { Combination } from './matrix.ts'
import { type Dict, dictOf, field, isNothing, listOf, type Node, plainOf, stringOf } from './tree.ts'

/** What a job has become by the time its text is cut out of the file. */
interface CutJob {
  readonly key: string
  readonly tree: Dict
  readonly name: string
  readonly labels: readonly string[]
  /** Undefined without a matrix. */
  readonly combination: Combination | undefined
  readonly continueOnError: boolean | undefined
}

const kept = ['name', 'run-name', 'on', 'permissions', 'env', 'defaults'] as const

/** The part of every job's text that the file says once. */
export function payloadHead(tree: Dict, runName: string | undefined): string {
  const entries = kept.flatMap((key): [string, Node][] => {
    const node = tree.entries.get(key)
    if (node === undefined) return []
    return [[key, key === 'run-name' && runName !== undefined ? stringOf(runName) : node]]
  })
  return emit(dictOf(entries))
}

/** The text of a workflow with this job alone, as a runner takes it: nothing in it depends on other jobs. */
export function payloadOf(head: string, job: CutJob): string {
  return `${head}${emit(dictOf([['jobs', dictOf([[job.key, cut(job)]])]]))}`
}

function cut({ tree, name, labels, combination, continueOnError }: CutJob): Dict {
  const entries = new Map(tree.entries)
  entries.delete('needs')
  entries.set('name', stringOf(name))
  const [only] = labels
  if (labels.length === 1 && only !== undefined) entries.set('runs-on', stringOf(only))
  else if (labels.length > 1) entries.set('runs-on', listOf(labels.map(stringOf)))
  if (continueOnError !== undefined) entries.set('continue-on-error', plainOf(continueOnError))
  const strategy = field(tree, 'strategy')
  if (strategy?.kind === 'dict' && combination) entries.set('strategy', reduced(strategy, combination))
  const steps = field(tree, 'steps')
  if (steps?.kind === 'list') entries.set('steps', listOf(steps.items.filter((step) => !isNothing(step))))
  return dictOf(entries)
}

/** The matrix with this combination alone, each value a list of one. */
function reduced(strategy: Dict, combination: Combination): Dict {
  const matrix = dictOf([...combination].map(([name, value]) => [name, listOf([value])]))
  return dictOf([...strategy.entries, ['matrix', matrix]])
}
