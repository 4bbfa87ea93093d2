import { usesContext } from './condition.ts'
import { attempt } from './fault.ts'
import type { JobSpec } from './job.ts'
import { field, type Node } from './tree.ts'

/** The keys of a job that the server evaluates before the job runs. Its condition and its group are evaluated later. */
const plannedKeys = ['name', 'runs-on', 'strategy', 'continue-on-error'] as const

/** Whether planning a job takes the results of jobs that it needs. */
export const usesNeeds = ({ tree, needs }: Pick<JobSpec, 'tree' | 'needs'>): boolean =>
  plannedKeys.some((key) => namesNeeds(field(tree, key))) ||
  // An environment is only shown, and never makes a job fail.
  (needs.length > 0 && namesNeeds(field(tree, 'environment')))

function namesNeeds(node: Node | undefined): boolean {
  if (node === undefined) return false
  if (node.kind === 'scalar') {
    // What cannot be read is a fault when it is evaluated.
    const read = attempt(() => usesContext(node.text, 'needs'))
    return read.ok && read.value
  }
  return [...(node.kind === 'list' ? node.items : node.entries.values())].some(namesNeeds)
}
