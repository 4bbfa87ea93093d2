import { type ConcurrencySource, readConcurrency } from './concurrency.ts'
import { fail, quote } from './fault.ts'
import { type JobSpec, readJob } from './job.ts'
import { maxJobs } from './matrix.ts'
import { checkNeeds } from './needs.ts'
import { readTriggers, type Triggers } from './on.ts'
import { type Permissions, readPermissions } from './permissions.ts'
import { type Dict, dict, field, isEmpty, type Node, textField } from './tree.ts'
import { readTree } from './yaml.ts'

/** A workflow file that is valid as a whole. */
export interface Workflow {
  readonly tree: Dict
  /** Empty if it has none. */
  readonly name: string
  readonly runName: string | undefined
  readonly permissions: Permissions | undefined
  readonly concurrency: ConcurrencySource | undefined
  readonly jobs: readonly JobSpec[]
}

/** Parses a file and reads its triggers. @throws WorkflowFault */
export function openWorkflow(source: string): { tree: Dict; triggers: Triggers } {
  const root: Node = readTree(source.replace(/^\uFEFF/, ''))
  if (isEmpty(root)) return fail('the file is empty')
  const tree = dict(root, 'a workflow')
  return { tree, triggers: readTriggers(tree.entries.get('on')) }
}

/** Reads the rest of the file. @throws WorkflowFault */
export function readWorkflow(tree: Dict): Workflow {
  const node = field(tree, 'jobs')
  if (!node) return fail('there are no jobs')
  const { entries } = dict(node, '"jobs"')
  if (entries.size === 0) fail('there are no jobs')
  if (entries.size > maxJobs) fail(`there are more than ${maxJobs} jobs`)
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

/** Expressions are case-insensitive, so keys must differ in more than case. */
function checkKeys(jobs: readonly JobSpec[]): void {
  const keys = new Set<string>()
  for (const { key } of jobs) {
    const folded = key.toLowerCase()
    if (keys.has(folded)) fail(`two jobs are called ${quote(key)}`)
    keys.add(folded)
  }
}
