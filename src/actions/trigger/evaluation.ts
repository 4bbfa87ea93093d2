import type { OpenRepository } from '../../git/program/git.ts'
import { isZeroId } from '../../git/program/names.ts'
import type { GitOutcome } from '../../git/program/outcome.ts'
import { readCommitObject, type StoredCommit } from '../../git/repository/commit.ts'
import { type Commit, readCommit } from '../../git/repository/history.ts'
import { resolveRef } from '../../git/repository/revisions.ts'
import { changedPaths } from '../../git/repository/tree.ts'
import { candidateOf, type WorkflowCandidate } from '../run/candidate.ts'
import { accountName, type RepoFacts } from '../run/repo-facts-store.ts'
import { chainLength } from '../run/run-store.ts'
import { maxChain, type StartDeps, startRuns } from '../run/start.ts'
import { openIn, type WorkflowFile, workflowFiles } from '../run/workflow-files.ts'
import { type TypedEvent, typedEvents } from '../workflow/on.ts'
import { type EventInput, type Examined, faultyFile } from '../workflow/request.ts'
import { isObject, type Json } from '../workflow/values.ts'
import { putListening, startsOnDefault } from './listening-store.ts'
import { isFromFork, pullIn } from './pull-trigger.ts'
import { readScheduleLine } from './schedule-lines.ts'
import { replaceSchedules, type ScheduleDraft } from './schedule-store.ts'
import { deleteTrigger, type Trigger } from './trigger-store.ts'
import { disabledWorkflows } from './workflow-store.ts'

/** The dependencies of the evaluation of triggers. */
export interface EvaluationDeps extends StartDeps {
  clock: () => Date
  /** The repository and the sender in the payload of a schedule. */
  describe: (repository: number) => Promise<{ repository: Json; sender: Json } | undefined>
  /** Whether somebody must approve what an account runs by a pull request from a fork; null: the account was deleted. */
  needsApproval: (repository: number, account: number | null) => Promise<boolean>
}

/** A trigger cannot be evaluated now; the worker retries it. */
class EvaluationError extends Error {}

/** Reading time of all files of one commit, in milliseconds; the remaining ones are faulty. */
const maxReadTime = 60_000

/** A file and its evaluation. */
interface Evaluated {
  file: WorkflowFile
  examined: Examined
}

/**
 * Starts the workflows of a trigger and deletes the trigger in the same transaction.
 * @throws EvaluationError, StartError
 */
export async function evaluateTrigger(
  deps: EvaluationDeps,
  facts: RepoFacts,
  trigger: Trigger,
): Promise<void> {
  const repository = openIn(deps.source, facts)
  const branch = facts.default_branch
  const head = await headOf(repository, branch, trigger)
  if (!head) {
    // There are no files, so no workflow waits.
    if (startsOnDefault(trigger)) await putListening(deps.sql, facts.id, { branch, events: [] })
    await deleteTrigger(deps.sql, trigger)
    return
  }
  const files = valueOrThrow(await workflowFiles(repository, head.commit.id))
  const input = await eventInputOf(repository, trigger, head.commit, files)
  const evaluated = await examineAll(deps, filesFor(trigger, files), input, facts.owner_id)
  const isDefault = trigger.kind === 'push' && trigger.ref === `refs/heads/${branch}`
  const chain = await chainOf(deps, trigger)
  const isSkipped = hasSkipMark(trigger, head) || isByJob(trigger) || chain > maxChain
  const candidates = isSkipped ? [] : await candidatesOf(deps, facts, evaluated)
  const startTrigger = { ...(await startTriggerOf(deps, trigger, head)), dispatch_depth: chain }
  const started = await startRuns(deps, facts, startTrigger, candidates, async (tx) => {
    if (!(await deleteTrigger(tx, trigger))) return false
    const commit = { repository: facts.id, ref: trigger.ref, commit: head.commit.id }
    if (isDefault) await replaceSchedules(tx, commit, schedulesOf(evaluated, tx.now))
    const events = [...new Set(evaluated.flatMap(({ examined }) => examined.listens))]
    if (isDefault || startsOnDefault(trigger)) await putListening(tx, facts.id, { branch, events })
    return true
  })
  for (const { id, file } of started)
    deps.log.debug('workflow started', { repository: facts.id, run: id, file })
}

/** The commit whose workflow files are read, and the ref of the run. */
interface Head {
  ref: string
  commit: StoredCommit
  /** The commit that the event is about: also for `pull_request_target`, the head of the pull request. */
  subject: StoredCommit
}

/** Undefined if the ref or commit no longer exists. */
async function headOf(
  repository: OpenRepository,
  defaultBranch: string,
  { kind, ref, after, payload }: Trigger,
): Promise<Head | undefined> {
  const branch = `refs/heads/${defaultBranch}`
  const isOnDefault = kind === 'delete' || startsOnDefault({ kind })
  const id = isOnDefault ? valueOrThrow(await resolveRef(repository, branch)) : after
  if (id === null || id === undefined) return undefined
  const commit = await commitOrGone(repository, id)
  const head = kind === 'pull_request_target' ? pullIn(payload)?.head.sha : undefined
  const subject = head === undefined ? commit : await commitOrGone(repository, head)
  return commit && subject && { ref: isOnDefault ? branch : ref, commit, subject }
}

/** A force push may have removed a commit. */
async function commitOrGone(repository: OpenRepository, id: string): Promise<StoredCommit | undefined> {
  const read = await readCommitObject(repository, id)
  return !read.ok && read.fault.kind === 'gone' ? undefined : valueOrThrow(read)
}

async function eventInputOf(
  repository: OpenRepository,
  { kind, ref, before, after, payload }: Trigger,
  { id }: StoredCommit,
  files: readonly WorkflowFile[],
): Promise<EventInput> {
  if (kind === 'create' || kind === 'delete' || kind === 'schedule') return { event: kind }
  const readsPaths = files.some(({ source }) => source?.includes('paths'))
  if (kind === 'pull_request' || kind === 'pull_request_target') {
    const pull = pullIn(payload)
    const range = readsPaths && pull && before !== null ? { before, after: pull.head.sha } : undefined
    const changed = range ? valueOrThrow(await changedPaths(repository, range.before, range.after)) : noPaths
    return { event: kind, action: textIn(payload, 'action'), base: pull?.base.ref ?? '', changed }
  }
  const action = textIn(payload, 'action')
  if (kind === 'workflow_run') {
    const [workflow, run] = [memberOf(payload, 'workflow'), memberOf(payload, 'workflow_run')]
    return { event: kind, action, workflow: textIn(workflow, 'name'), branch: textIn(run, 'head_branch') }
  }
  if (kind !== 'push') return { event: typedEvent(kind), action }
  if (!readsPaths || !ref.startsWith('refs/heads/')) return { event: 'push', ref, changed: noPaths }
  if (before === null || isZeroId(before))
    return { event: 'push', ref, changed: pathsIn(valueOrThrow(await readCommit(repository, id))) }
  const changed = await changedPaths(repository, before, after ?? '')
  return { event: 'push', ref, changed: valueOrThrow(changed) }
}

const noPaths: readonly string[] = []

/** @throws EvaluationError */
function typedEvent(kind: string): TypedEvent {
  const event = typedEvents.find((each) => each === kind)
  if (event) return event
  throw new EvaluationError(`unknown event ${kind}`)
}

/** For a new branch, the changes of its newest commit; a merge commit has none of its own. */
const pathsIn = ({ parents, added, removed, modified }: Commit) =>
  parents.length > 1 ? [] : [...added, ...removed, ...modified]

async function examineAll(
  deps: EvaluationDeps,
  files: readonly WorkflowFile[],
  input: EventInput,
  owner: number,
): Promise<Evaluated[]> {
  const deadline = performance.now() + maxReadTime
  const evaluated: Evaluated[] = []
  for (const file of files)
    evaluated.push({ file, examined: await examine(deps, file, input, owner, deadline) })
  return evaluated
}

async function examine(
  { planner, log }: EvaluationDeps,
  file: WorkflowFile,
  input: EventInput,
  owner: number,
  deadline: number,
): Promise<Examined> {
  if (file.source === undefined) {
    log.warn('cannot read a workflow file', { file: file.name, fault: file.fault })
    return faultyFile(file.fault, input)
  }
  if (performance.now() > deadline)
    return faultyFile('the workflows of this commit take too long to read', input)
  const result = await planner.examine(file.source, input, owner)
  if (!result.ok) {
    if (result.fault.kind === 'file') return faultyFile(result.fault.message, input)
    throw new EvaluationError(result.fault.log)
  }
  const { ignored } = result.value
  if (ignored.length > 0)
    log.info('a workflow names unsupported events', { file: file.name, ignored: ignored.join(' ') })
  return result.value
}

/** Marks in a commit message, or in the title of a pull request, that prevent workflows from starting. */
const skipMarks = ['[skip ci]', '[ci skip]', '[no ci]', '[skip actions]', '[actions skip]']

/** Whether a text of the event prevents workflows from starting. */
function hasSkipMark({ kind, payload }: Trigger, { subject }: Head): boolean {
  const pull = kind === 'pull_request' || kind === 'pull_request_target' ? pullIn(payload) : undefined
  const text = kind === 'push' || pull ? `${pull?.title ?? ''}\n${subject.message}`.toLowerCase() : ''
  return skipMarks.some((mark) => text.includes(mark))
}

/** Whether a job caused the event, which starts nothing then. A run that follows another one has a bound of its own. */
const isByJob = ({ kind, by_bot }: Trigger) => by_bot && kind !== 'schedule' && kind !== 'workflow_run'

/** How many runs lead to those of a trigger, each started by the previous one; infinite if that cannot be known. */
async function chainOf({ sql }: EvaluationDeps, { kind, payload }: Trigger): Promise<number> {
  if (kind !== 'workflow_run') return 0
  const previous = Number(textIn(memberOf(payload, 'workflow_run'), 'id'))
  return 1 + ((await chainLength(sql, previous)) ?? Number.POSITIVE_INFINITY)
}

/** The files that the event may start: a schedule concerns one file only. */
function filesFor(trigger: Trigger, files: readonly WorkflowFile[]): readonly WorkflowFile[] {
  if (trigger.kind !== 'schedule') return files
  const workflow = textIn(trigger.payload, 'workflow')
  return files.filter(({ name }) => name === workflow)
}

async function candidatesOf(
  { sql }: EvaluationDeps,
  facts: RepoFacts,
  evaluated: readonly Evaluated[],
): Promise<WorkflowCandidate[]> {
  const disabled = await disabledWorkflows(sql, facts.id)
  return evaluated
    .filter(({ file, examined }) => examined.starts && !disabled.has(file.name))
    .map(({ file, examined }) => candidateOf(file, examined, {}))
}

/** A member of a payload; null if there is none. */
const memberOf = (payload: Json, name: string): Json =>
  (isObject(payload) ? payload[name] : undefined) ?? null

/** A member of a payload as text; "" if there is none. */
const textIn = (payload: Json, name: string) => String(memberOf(payload, name) ?? '')

async function startTriggerOf(deps: EvaluationDeps, trigger: Trigger, { ref, commit, subject }: Head) {
  const pull = trigger.kind === 'pull_request_target' ? undefined : pullIn(trigger.payload)
  const isForkPull = pull !== undefined && isFromFork(pull)
  const name = await accountName(deps.sql, trigger.actor_id)
  const actor = name === undefined || trigger.actor_id === null ? undefined : { id: trigger.actor_id, name }
  return {
    event: trigger.kind,
    payload: await payloadOf(deps, trigger),
    ref,
    commit: commit.id,
    title: subject.message,
    actor,
    by_bot: trigger.by_bot,
    is_fork_pr: isForkPull,
    needs_approval: isForkPull && (await deps.needsApproval(trigger.repository_id, trigger.actor_id)),
  }
}

async function payloadOf({ describe }: EvaluationDeps, trigger: Trigger): Promise<Json> {
  if (trigger.kind !== 'schedule') return trigger.payload
  return { schedule: textIn(trigger.payload, 'schedule'), ...(await describe(trigger.repository_id)) }
}

/** Skips lines that are not valid, as the original does. */
function schedulesOf(evaluated: readonly Evaluated[], now: Date): ScheduleDraft[] {
  return evaluated.flatMap(({ file, examined }) =>
    examined.schedule.flatMap((cron) => {
      const line = readScheduleLine(cron)
      return line ? [{ workflow_file: file.name, cron, next_at: line.next(now) }] : []
    }),
  )
}

/** @throws EvaluationError when git has failed */
function valueOrThrow<Value>(outcome: GitOutcome<Value>): Value {
  if (outcome.ok) return outcome.value
  throw new EvaluationError(outcome.fault.log)
}
