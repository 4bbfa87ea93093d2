import { usesContext } from './condition.ts'
import type { JobSpec } from './job.ts'
import { field, type Node } from './tree.ts'

/** The keys of a job that the server evaluates before the job runs. Its condition and its group are evaluated later. */
const plannedKeys = ['name', 'runs-on', 'strategy', 'continue-on-error'] as const

/** Whether planning a job takes the results of jobs that it needs. @throws WorkflowFault */
export const usesNeeds = ({ tree }: Pick<JobSpec, 'tree'>): boolean =>
  plannedKeys.some((key) => {
    const node = field(tree, key)
    return node !== undefined && namesNeeds(node)
  })

function namesNeeds(node: Node): boolean {
  if (node.kind === 'scalar') return usesContext(node.text, 'needs')
  return [...(node.kind === 'list' ? node.items : node.entries.values())].some(namesNeeds)
}
