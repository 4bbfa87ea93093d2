import { quote, refuse } from './fault.ts'
import { type JobSpec, readConcurrency, readJob, type WrittenConcurrency } from './job.ts'
import { mostJobs } from './matrix.ts'
import { checkNeeds } from './needs.ts'
import { readTriggers, type Triggers } from './on.ts'
import { type Permissions, readPermissions } from './permissions.ts'
import { type Dict, dict, field, isNothing, type Node, textField } from './tree.ts'
import { readTree } from './yaml.ts'

/** A workflow file that makes sense as a whole. */
export interface Workflow {
  readonly tree: Dict
  /** Empty when it has none. */
  readonly name: string
  readonly runName: string | undefined
  readonly permissions: Permissions | undefined
  readonly concurrency: WrittenConcurrency | undefined
  readonly jobs: readonly JobSpec[]
}

/** The first look at a file: its tree and what starts it. @throws WorkflowFault */
export function openWorkflow(source: string): { tree: Dict; triggers: Triggers } {
  const root: Node = readTree(source.replace(/^\uFEFF/, ''))
  if (isNothing(root)) return refuse('the file is empty')
  const tree = dict(root, 'a workflow')
  return { tree, triggers: readTriggers(tree.entries.get('on')) }
}

/** The rest of it. @throws WorkflowFault */
export function readWorkflow(tree: Dict): Workflow {
  const node = field(tree, 'jobs')
  if (!node) return refuse('there are no jobs')
  const { entries } = dict(node, '"jobs"')
  if (entries.size === 0) refuse('there are no jobs')
  if (entries.size > mostJobs) refuse(`there are more than ${mostJobs} jobs`)
  const jobs = [...entries].map(([key, job]) => readJob(key, job))
  checkKeys(jobs)
  checkNeeds(new Map(jobs.map(({ key, needs }) => [key, needs])))
  return {
    tree,
    name: textField(tree, 'name', 'the workflow') ?? '',
    runName: textField(tree, 'run-name', 'the workflow'),
    permissions: readPermissions(field(tree, 'permissions')),
    concurrency: readConcurrency(field(tree, 'concurrency')),
    jobs,
  }
}

/** Expressions do not tell names apart by their case. */
function checkKeys(jobs: readonly JobSpec[]): void {
  const seen = new Set<string>()
  for (const { key } of jobs) {
    const folded = key.toLowerCase()
    if (seen.has(folded)) refuse(`two jobs are called ${quote(key)}`)
    seen.add(folded)
  }
}
