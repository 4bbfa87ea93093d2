import { emit } from './emit.ts'
import type { Combination } from './matrix.ts'
import { type Dict, dictOf, field, isEmpty, listOf, type Node, plainOf, stringOf } from './tree.ts'

/** The members of a planned job that its payload contains. */
interface PayloadJob {
  readonly key: string
  readonly tree: Dict
  readonly name: string
  readonly labels: readonly string[]
  /** Undefined without a matrix. */
  readonly combination: Combination | undefined
  readonly continueOnError: boolean | undefined
}

/** The keys of a workflow that its payload contains. */
const sharedKeys = ['name', 'run-name', 'on', 'permissions', 'env', 'defaults'] as const

/** The part of the payload that all jobs of a file share. `evaluated`: texts that replace those of the file. */
export function payloadHead(
  tree: Dict,
  evaluated: { readonly name?: string; readonly 'run-name'?: string | undefined } = {},
): string {
  const entries = new Map<string, Node>()
  for (const key of sharedKeys) {
    const node = tree.entries.get(key)
    if (node !== undefined) entries.set(key, node)
  }
  for (const [key, text] of Object.entries(evaluated))
    if (text !== undefined) entries.set(key, stringOf(text))
  return emit(dictOf(entries))
}

/** The payload for a runner: the workflow with this job alone, without references to other jobs. */
export function payloadOf(head: string, job: PayloadJob): string {
  return `${head}${emit(dictOf([['jobs', dictOf([[job.key, jobTree(job)]])]]))}`
}

/** The workflow with a job alone, whose expressions are evaluated later, when the jobs that it needs have ended. */
export function expansionOf(head: string, key: string, tree: Dict): string {
  const entries = [...tree.entries].filter(([name]) => name !== 'needs')
  return `${head}${emit(dictOf([['jobs', dictOf([[key, dictOf(entries)]])]]))}`
}

function jobTree({ tree, name, labels, combination, continueOnError }: PayloadJob): Dict {
  const entries = new Map(tree.entries)
  entries.delete('needs')
  entries.set('name', stringOf(name))
  const [only] = labels
  if (labels.length === 1 && only !== undefined) entries.set('runs-on', stringOf(only))
  else if (labels.length > 1) entries.set('runs-on', listOf(labels.map(stringOf)))
  if (continueOnError !== undefined) entries.set('continue-on-error', plainOf(continueOnError))
  const strategy = field(tree, 'strategy')
  if (strategy?.kind === 'dict' && combination)
    entries.set('strategy', withCombination(strategy, combination))
  const steps = field(tree, 'steps')
  if (steps?.kind === 'list') entries.set('steps', listOf(steps.items.filter((step) => !isEmpty(step))))
  return dictOf(entries)
}

/** The strategy with a matrix of this combination alone, each value a list of one. */
function withCombination(strategy: Dict, combination: Combination): Dict {
  const matrix = dictOf([...combination].map(([name, value]) => [name, listOf([value])]))
  return dictOf([...strategy.entries, ['matrix', matrix]])
}
