import { type RepoFacts, repoFacts } from '../../actions/run/repo-facts.ts'
import { pathOf, type WorkflowFile, workflowFiles } from '../../actions/trigger/workflow-files.ts'
import { disabledWorkflows } from '../../actions/trigger/workflow-store.ts'
import type { Examined, EventInput } from '../../actions/workflow/request.ts'
import type { Sql } from '../../db/sql.ts'
import { type Commit, readCommit } from '../../git/repository/history.ts'
import { resolveRef } from '../../git/repository/tree.ts'
import { found, notFound, Problem, unavailable } from '../../http/route/problem.ts'
import { escapeSegments } from '../protocol/escape-segments.ts'
import { EPOCH, parseTime, printDate } from '../protocol/time.ts'
import { problemOf } from '../repos/git-service.ts'
import type { ForgeTools } from '../route.ts'
import type { ActionWorkflow } from './workflow.shape.ts'

/** A place in a repository that workflows are read from. */
export interface Opened {
  facts: RepoFacts
  commit: Commit
  files: readonly WorkflowFile[]
}

type Tools = Pick<ForgeTools, 'gitService' | 'planner'>

/** The workflow files of a ref (in full); undefined when there is no such ref. @throws Problem */
export async function openRef(
  sql: Sql,
  { gitService }: Tools,
  repository: number,
  ref: (facts: RepoFacts) => string,
): Promise<Opened | undefined> {
  const facts = found(await repoFacts(sql, repository))
  const path = pathOf(gitService, facts)
  const id = await resolveRef(gitService.git, path, ref(facts))
  if (!id.ok) throw problemOf(id.fault)
  if (id.value === undefined) return undefined
  const [commit, files] = await Promise.all([
    readCommit(gitService.git, path, id.value),
    workflowFiles(gitService, path, id.value),
  ])
  if (!commit.ok) throw problemOf(commit.fault)
  if (!files.ok) throw problemOf(files.fault)
  return { facts, commit: commit.value, files: files.value }
}

const dispatched: EventInput = { event: 'workflow_dispatch' }

/** What is known of a file of an account's repository; what is wrong with it stands in `fault`. @throws Problem 503 */
export async function examineFile(
  { planner }: Tools,
  { source, fault }: WorkflowFile,
  happening: EventInput,
  owner: number,
): Promise<Examined> {
  const broken = (why: string): Examined => {
    return { name: '', starts: false, schedule: [], dispatch: undefined, ignored: [], fault: why }
  }
  if (source === undefined) return broken(fault)
  const answer = await planner.examine(source, happening, owner)
  if ('value' in answer) return answer.value
  if ('fault' in answer) return broken(answer.fault)
  if (answer.problem === 'busy') throw unavailable('too many workflow files are being read', answer.log, 5)
  throw new Problem(500, 'the workflow could not be read', { log: answer.log })
}

/** How long the files of a list may take to read, in milliseconds; the rest is listed by the names of the files. */
const longestList = 10_000

/** All workflows of the default branch, as they are sent; none in an empty repository. `host`: root of links. */
export async function workflowsOf(
  sql: Sql,
  tools: Tools,
  repository: number,
  host: string,
): Promise<ActionWorkflow[]> {
  const opened = await openRef(sql, tools, repository, defaultRef)
  if (!opened) return []
  const disabled = await disabledWorkflows(sql, repository)
  const shown: ActionWorkflow[] = []
  const deadline = performance.now() + longestList
  for (const file of opened.files) {
    const isTimely = performance.now() < deadline
    const name = isTimely ? (await examineFile(tools, file, dispatched, opened.facts.owner_id)).name : ''
    shown.push(printWorkflow(opened, file, { name, isOff: disabled.has(file.name), host }))
  }
  return shown
}

/** One of them. @throws Problem 404 */
export async function workflowOf(
  sql: Sql,
  tools: Tools,
  repository: number,
  { name, host }: { name: string; host: string },
): Promise<ActionWorkflow> {
  const opened = found(await openRef(sql, tools, repository, defaultRef))
  const file = opened.files.find((each) => each.name === name)
  if (!file) throw notFound(`workflow ${JSON.stringify(name.slice(0, 100))} not found`)
  const [disabled, examined] = await Promise.all([
    disabledWorkflows(sql, repository),
    examineFile(tools, file, dispatched, opened.facts.owner_id),
  ])
  return printWorkflow(opened, file, { name: examined.name, isOff: disabled.has(file.name), host })
}

const defaultRef = (facts: RepoFacts) => `refs/heads/${facts.default_branch}`

function printWorkflow(
  { facts, commit }: Opened,
  file: WorkflowFile,
  { name, isOff, host }: { name: string; isOff: boolean; host: string },
): ActionWorkflow {
  const repository = `${facts.owner_name}/${facts.name}`
  const id = escapeSegments(file.name)
  // Whoever makes a commit says when it was.
  const said = parseTime(commit.committer.at)
  const at = said.ok && said.value ? printDate(said.value) : EPOCH
  return {
    id: file.name,
    name: name || file.name,
    path: file.path,
    state: isOff ? 'disabled_manually' : 'active',
    created_at: at,
    updated_at: at,
    url: `${host}api/v1/repos/${repository}/actions/workflows/${encodeURIComponent(file.name)}`,
    html_url: `${host}${repository}/src/branch/${escapeSegments(facts.default_branch)}/${escapeSegments(file.path)}`,
    badge_url: `${host}${repository}/actions/workflows/${id}/badge.svg?branch=${encodeURIComponent(facts.default_branch)}`,
  }
}
