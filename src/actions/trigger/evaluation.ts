import { isZeroId } from '../../git/program/names.ts'
import type { GitOutcome } from '../../git/program/outcome.ts'
import { type Commit, readCommit } from '../../git/repository/history.ts'
import { changedPaths, resolveRef } from '../../git/repository/tree.ts'
import type { RepoFacts } from '../run/repo-facts.ts'
import { accountName } from '../run/repo-facts.ts'
import { type StartDeps, startRuns, type WorkflowCandidate } from '../run/start.ts'
import type { Examined, Happening } from '../workflow/request.ts'
import type { Json } from '../workflow/values.ts'
import { readScheduleLine } from './schedule-lines.ts'
import { replaceSchedules, type ScheduleDraft } from './schedule-store.ts'
import { deleteTrigger, type Trigger } from './trigger-store.ts'
import { pathOf, type WorkflowFile, type WorkflowSource, workflowFiles } from './workflow-files.ts'
import { disabledWorkflows } from './workflow-store.ts'

/** What is needed to look at a trigger. */
export interface EvaluationDeps extends StartDeps {
  shelf: WorkflowSource
  clock: () => Date
  /** What a schedule's event says of its repository, and of who sends it. */
  describe: (repository: number) => Promise<{ repository: Json; sender: Json } | undefined>
}

/** What keeps a trigger from being looked at now; it is tried again. */
export class EvaluationError extends Error {}

/** How long the files of one commit may take together, in milliseconds; the rest of them is at fault. */
const longestLook = 60_000

/** A file and what is known of it. */
interface Looked {
  file: WorkflowFile
  examined: Examined
}

/**
 * Starts what a trigger starts, and removes it in the same transaction. @throws LookError, StartError
 */
export async function evaluateTrigger(
  parts: EvaluationDeps,
  facts: RepoFacts,
  trigger: Trigger,
): Promise<void> {
  const path = pathOf(parts.shelf, facts)
  const head = await headOf(parts, facts, path, trigger)
  if (!head) return void (await deleteTrigger(parts.sql, trigger))
  const files = must(await workflowFiles(parts.shelf, path, head.commit.id))
  const happening = await happeningOf(parts, path, trigger, head.commit, files)
  const looked: Looked[] = []
  const deadline = performance.now() + longestLook
  for (const file of filesFor(trigger, files))
    looked.push({
      file,
      examined: await examine(parts, file, happening, { owner: facts.owner_id, deadline }),
    })
  const isDefault = trigger.kind === 'push' && trigger.ref === `refs/heads/${facts.default_branch}`
  const wishes = isSilent(trigger, head.commit) ? [] : await wishesOf(parts, facts, looked)
  const cause = await causeOf(parts, trigger, head)
  const started = await startRuns(parts, facts, cause, wishes, async (tx) => {
    if (!(await deleteTrigger(tx, trigger))) return false
    const place = { repository: facts.id, ref: trigger.ref, commit: head.commit.id }
    if (isDefault) await replaceSchedules(tx, place, schedulesOf(looked, tx.now))
    return true
  })
  for (const { id, file } of started)
    parts.log.debug('workflow started', { repository: facts.id, run: id, file })
}

/** Where the files are read from, and what the run is about. */
interface Head {
  ref: string
  commit: Commit
}

/** Undefined when there is nothing any more that could be read. */
async function headOf(
  { shelf }: EvaluationDeps,
  facts: RepoFacts,
  path: string,
  { kind, ref, after }: Trigger,
): Promise<Head | undefined> {
  const branch = `refs/heads/${facts.default_branch}`
  const id = kind === 'delete' ? must(await resolveRef(shelf.git, path, branch)) : after
  if (id === null || id === undefined) return undefined
  const commit = await readCommit(shelf.git, path, id)
  // A commit that was pushed over may be gone already.
  if (!commit.ok && (commit.fault.kind === 'failed' || commit.fault.kind === 'gone')) return undefined
  return { ref: kind === 'delete' ? branch : ref, commit: must(commit) }
}

async function happeningOf(
  { shelf }: EvaluationDeps,
  path: string,
  { kind, ref, before, after }: Trigger,
  commit: Commit,
  files: readonly WorkflowFile[],
): Promise<Happening> {
  if (kind === 'create' || kind === 'delete' || kind === 'schedule') return { event: kind }
  const asks = ref.startsWith('refs/heads/') && files.some(({ source }) => source?.includes('paths'))
  if (!asks) return { event: 'push', ref, changed: [] }
  if (before === null || isZeroId(before)) return { event: 'push', ref, changed: pathsIn(commit) }
  const changed = await changedPaths(shelf.git, path, before, after ?? '')
  return { event: 'push', ref, changed: must(changed) }
}

/** Of a new branch the newest commit counts; a merge has no changes of its own. */
const pathsIn = ({ parents, added, removed, modified }: Commit) =>
  parents.length > 1 ? [] : [...added, ...removed, ...modified]

async function examine(
  { planner, log }: EvaluationDeps,
  file: WorkflowFile,
  happening: Happening,
  { owner, deadline }: { owner: number; deadline: number },
): Promise<Examined> {
  const starts = happening.event === 'push'
  const broken = (fault: string): Examined => ({
    ...{ name: '', starts, schedule: [], dispatch: undefined, ignored: [] },
    fault,
  })
  if (file.source === undefined) {
    log.warn('a workflow file is not read', { file: file.name, fault: file.fault })
    return broken(file.fault)
  }
  if (performance.now() > deadline) return broken('the workflows of this commit take too long to read')
  const answer = await planner.examine(file.source, happening, owner)
  if ('fault' in answer) return broken(answer.fault)
  if ('problem' in answer) throw new EvaluationError(answer.log)
  const { ignored } = answer.value
  if (ignored.length > 0)
    log.info('workflow names events that start nothing', { file: file.name, ignored: ignored.join(' ') })
  return answer.value
}

/** What a commit says to be left alone. */
const silencing = ['[skip ci]', '[ci skip]', '[no ci]', '[skip actions]', '[actions skip]']

/** Whether nothing is to be started: a job did it, or its author does not want it. */
function isSilent({ kind, by_bot }: Trigger, { message }: Commit): boolean {
  if (kind === 'schedule') return false
  return by_bot || (kind === 'push' && silencing.some((mark) => message.toLowerCase().includes(mark)))
}

/** A line of a schedule is about one file. */
function filesFor(trigger: Trigger, files: readonly WorkflowFile[]): readonly WorkflowFile[] {
  if (trigger.kind !== 'schedule') return files
  const { workflow } = scheduledIn(trigger)
  return files.filter(({ name }) => name === workflow)
}

async function wishesOf(
  { sql }: EvaluationDeps,
  facts: RepoFacts,
  looked: readonly Looked[],
): Promise<WorkflowCandidate[]> {
  const disabled = await disabledWorkflows(sql, facts.id)
  return looked
    .filter(({ file, examined }) => examined.starts && !disabled.has(file.name))
    .map(({ file, examined: { name, fault } }) => ({
      ...{ file: file.name, name, source: file.source ?? '', fault, inputs: {} },
    }))
}

function scheduledIn({ payload }: Trigger): { workflow: string; schedule: string } {
  const words: Record<string, unknown> = typeof payload === 'object' && payload !== null ? { ...payload } : {}
  return { workflow: String(words.workflow ?? ''), schedule: String(words.schedule ?? '') }
}

async function causeOf(parts: EvaluationDeps, trigger: Trigger, { ref, commit }: Head) {
  const name = await accountName(parts.sql, trigger.actor_id)
  const actor = name === undefined || trigger.actor_id === null ? undefined : { id: trigger.actor_id, name }
  return {
    event: trigger.kind,
    payload: await payloadOf(parts, trigger),
    ref,
    commit: commit.id,
    title: commit.message,
    actor,
    by_bot: trigger.by_bot,
  }
}

async function payloadOf({ describe }: EvaluationDeps, trigger: Trigger): Promise<Json> {
  if (trigger.kind !== 'schedule') return isJson(trigger.payload) ? trigger.payload : {}
  const { schedule } = scheduledIn(trigger)
  return { schedule, ...(await describe(trigger.repository_id)) }
}

/** What the database's JSON was read into holds nothing but JSON. */
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** The lines that can be read; the others are dropped, as the original does. */
function schedulesOf(looked: readonly Looked[], now: Date): ScheduleDraft[] {
  return looked.flatMap(({ file, examined }) =>
    examined.schedule.flatMap((cron) => {
      const line = readScheduleLine(cron)
      return line ? [{ workflow_file: file.name, cron, next_at: line.next(now) }] : []
    }),
  )
}

/** @throws LookError when git could not say it now */
function must<Value>(outcome: GitOutcome<Value>): Value {
  if (outcome.ok) return outcome.value
  throw new EvaluationError(outcome.fault.log)
}
