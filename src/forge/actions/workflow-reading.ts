import { type RepoFacts, repoFacts } from '../../actions/run/repo-facts-store.ts'
import { openIn, type WorkflowFile, workflowFiles } from '../../actions/run/workflow-files.ts'
import { disabledWorkflows } from '../../actions/trigger/workflow-store.ts'
import type { InputSpec } from '../../actions/workflow/inputs.ts'
import { type EventInput, type Examined, faultyFile } from '../../actions/workflow/request.ts'
import type { Sql } from '../../db/sql.ts'
import { type CommitObject, readCommitObject } from '../../git/repository/commit.ts'
import { resolveRef } from '../../git/repository/revisions.ts'
import { busy, found, notFound, Problem } from '../../http/route/problem.ts'
import { problemOf } from '../git-service.ts'
import { escapeSegments } from '../protocol/escape-segments.ts'
import { EPOCH, parseTime, printDate } from '../protocol/time.ts'
import type { ForgeTools } from '../route.ts'
import type { ActionWorkflow } from './workflow.shape.ts'

/** The workflow files of a commit. */
interface WorkflowsAtRef {
  facts: RepoFacts
  commit: CommitObject
  files: readonly WorkflowFile[]
}

type Tools = Pick<ForgeTools, 'gitService' | 'planner'>

/** The workflow files of a ref (in full); undefined if there is no such ref. @throws Problem */
export async function workflowsAtRef(
  sql: Sql,
  { gitService }: Tools,
  repository: number,
  ref: (facts: RepoFacts) => string,
): Promise<WorkflowsAtRef | undefined> {
  const facts = found(await repoFacts(sql, repository))
  const opened = openIn(gitService, facts)
  const id = await resolveRef(opened, ref(facts))
  if (!id.ok) throw problemOf(id.fault)
  if (id.value === undefined) return undefined
  const [commit, files] = await Promise.all([
    readCommitObject(opened, id.value),
    workflowFiles(opened, id.value),
  ])
  if (!commit.ok) throw problemOf(commit.fault)
  if (!files.ok) throw problemOf(files.fault)
  return { facts, commit: found(commit.value), files: files.value }
}

const dispatched: EventInput = { event: 'workflow_dispatch' }

/** Examines a file of an account's repository; `fault` says what is wrong with it. @throws Problem 503 */
export async function examineFile(
  { planner }: Tools,
  { source, fault }: WorkflowFile,
  input: EventInput,
  owner: number,
): Promise<Examined> {
  if (source === undefined) return faultyFile(fault, input)
  const result = await planner.examine(source, input, owner)
  if (result.ok) return result.value
  if (result.fault.kind === 'file') return faultyFile(result.fault.message, input)
  const { kind, log } = result.fault
  if (kind === 'busy') throw busy('too many workflow files are being read', log, 5)
  throw new Problem(500, 'the workflow could not be read', { log })
}

/** Time in which the files of a list are read, in milliseconds; the others are listed under their file names. */
const maxListTime = 10_000

/**
 * All workflows of the default branch as the API prints them; empty for an empty repository. `host`: base URL of links.
 */
export async function workflowsOf(
  sql: Sql,
  tools: Tools,
  repository: number,
  host: string,
): Promise<ActionWorkflow[]> {
  const source = await workflowsAtRef(sql, tools, repository, defaultRef)
  if (!source) return []
  const disabled = await disabledWorkflows(sql, repository)
  const workflows: ActionWorkflow[] = []
  const deadline = performance.now() + maxListTime
  for (const file of source.files) {
    const isTimely = performance.now() < deadline
    const name = isTimely ? (await examineFile(tools, file, dispatched, source.facts.owner_id)).name : ''
    workflows.push(printWorkflow(source, file, { name, isDisabled: disabled.has(file.name), host }))
  }
  return workflows
}

/** A workflow that somebody may start. */
export interface StartableWorkflow {
  /** The name of its file, by which the API knows it. */
  file: string
  name: string
  isDisabled: boolean
  /** Why it cannot start; undefined if it can. */
  fault: string | undefined
  /** Undefined without `workflow_dispatch`. */
  inputs: readonly InputSpec[] | undefined
}

/** A workflow as it is at a ref (in full), and what it asks for; undefined if there is none. @throws Problem 404, 503 */
export async function startableWorkflow(
  sql: Sql,
  tools: Tools,
  repository: number,
  { name, ref }: { name: string; ref: string },
): Promise<StartableWorkflow | undefined> {
  const source = await workflowsAtRef(sql, tools, repository, () => ref)
  const file = source?.files.find((each) => each.name === name)
  if (!source || !file) return undefined
  const [disabled, examined] = await Promise.all([
    disabledWorkflows(sql, repository),
    examineFile(tools, file, dispatched, source.facts.owner_id),
  ])
  const { fault, dispatch: inputs } = examined
  return { file: name, name: examined.name || name, isDisabled: disabled.has(name), fault, inputs }
}

/** A workflow file of the default branch, as its text alone tells. */
interface ListedWorkflow {
  file: string
  isDisabled: boolean
  /** Whether it mentions `workflow_dispatch`: whether it has that trigger shows when it is read, which takes a thread. */
  mayStart: boolean
}

/** The workflow files of the default branch. @throws Problem 404, 503 */
export async function listedWorkflows(sql: Sql, tools: Tools, repository: number): Promise<ListedWorkflow[]> {
  const source = await workflowsAtRef(sql, tools, repository, defaultRef)
  if (!source || source.files.length === 0) return []
  const disabled = await disabledWorkflows(sql, repository)
  return source.files.map((file) => ({
    file: file.name,
    isDisabled: disabled.has(file.name),
    mayStart: file.source?.includes(dispatched.event) ?? false,
  }))
}

/** One workflow of the default branch. @throws Problem 404 */
export async function workflowOf(
  sql: Sql,
  tools: Tools,
  repository: number,
  { name, host }: { name: string; host: string },
): Promise<ActionWorkflow> {
  const source = found(await workflowsAtRef(sql, tools, repository, defaultRef))
  const file = source.files.find((each) => each.name === name)
  if (!file) throw notFound(`workflow ${JSON.stringify(name.slice(0, 100))} not found`)
  const [disabled, examined] = await Promise.all([
    disabledWorkflows(sql, repository),
    examineFile(tools, file, dispatched, source.facts.owner_id),
  ])
  return printWorkflow(source, file, { name: examined.name, isDisabled: disabled.has(file.name), host })
}

const defaultRef = (facts: RepoFacts) => `refs/heads/${facts.default_branch}`

function printWorkflow(
  { facts, commit }: WorkflowsAtRef,
  file: WorkflowFile,
  { name, isDisabled, host }: { name: string; isDisabled: boolean; host: string },
): ActionWorkflow {
  const repository = `${facts.owner_name}/${facts.name}`
  const id = escapeSegments(file.name)
  // The author of a commit chooses its date, which may be invalid.
  const committedAt = parseTime(commit.committer.at)
  const at = committedAt.ok && committedAt.value ? printDate(committedAt.value) : EPOCH
  return {
    id: file.name,
    name: name || file.name,
    path: file.path,
    state: isDisabled ? 'disabled_manually' : 'active',
    created_at: at,
    updated_at: at,
    url: `${host}api/v1/repos/${repository}/actions/workflows/${encodeURIComponent(file.name)}`,
    html_url: `${host}${repository}/src/branch/${escapeSegments(facts.default_branch)}/${escapeSegments(file.path)}`,
    badge_url: `${host}${repository}/actions/workflows/${id}/badge.svg?branch=${encodeURIComponent(facts.default_branch)}`,
  }
}
