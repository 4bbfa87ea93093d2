import { compileGlob } from '../../common/glob.ts'
import { type PlannedCall, planCall } from './call.ts'
import { attempt } from './fault.ts'
import type { InputSpec } from './inputs.ts'
import { type PullEvent, type TypedEvent, typedEvents } from './on.ts'
import { type Plan, type PlanContexts, type PlannedJobs, planDeferred, planRun } from './plan.ts'
import { passesPull, passesPush, passesRun } from './push-filter.ts'
import { openWorkflow, readWorkflow, type Workflow } from './workflow.ts'

/** The properties of an event that decide which workflows it starts. */
export type EventInput =
  | { readonly event: 'push'; readonly ref: string; readonly changed: readonly string[] }
  | { readonly event: TypedEvent; readonly action: string }
  | {
      readonly event: PullEvent
      readonly action: string
      /** The base branch. */
      readonly base: string
      readonly changed: readonly string[]
    }
  | {
      readonly event: 'workflow_run'
      readonly action: string
      /** The name of the workflow of the other run. */
      readonly workflow: string
      /** Its branch; empty: it ran on none. */
      readonly branch: string
    }
  | { readonly event: 'create' | 'delete' | 'schedule' | 'workflow_dispatch' | 'workflow_call' }

/**
 * A request to a worker: to examine whether a file starts, to plan its jobs once the run has a number, or to plan a
 * deferred job once those that it needs have ended, or the jobs of a workflow that a job calls.
 */
export type WorkflowRequest =
  | { readonly kind: 'examine'; readonly source: string; readonly input: EventInput }
  | { readonly kind: 'plan' | 'expand'; readonly source: string; readonly contexts: PlanContexts }
  | {
      readonly kind: 'call'
      /** The workflow with the calling job alone. */
      readonly caller: string
      readonly source: string
      readonly contexts: PlanContexts
    }

/** The result of examining a file. */
export interface Examined {
  /** The name of the workflow; empty if it has none or cannot be read. */
  readonly name: string
  readonly starts: boolean
  /** Cron lines. */
  readonly schedule: readonly string[]
  /** Inputs of `workflow_dispatch`; undefined without that trigger. */
  readonly dispatch: readonly InputSpec[] | undefined
  /** Names of events that start nothing here. */
  readonly ignored: readonly string[]
  /** Events that start it if its file is on the default branch. */
  readonly listens: readonly string[]
  /** The workflows that its jobs use, as written; each once. */
  readonly calls: readonly string[]
  /** Why it cannot run although it should start. */
  readonly fault: string | undefined
}

/** Results of a worker. `problem` concerns the request as a whole; its `log` is for the operator, not the author. */
export type WorkflowOutcome =
  | { readonly kind: 'examined'; readonly examined: Examined }
  | { readonly kind: 'planned'; readonly plan: Plan }
  | { readonly kind: 'expanded'; readonly jobs: PlannedJobs }
  | { readonly kind: 'called'; readonly called: PlannedCall }
  | { readonly kind: 'fault'; readonly fault: string }
  | { readonly kind: 'problem'; readonly reason: 'busy' | 'failed'; readonly log: string }

/** Handles a request in a worker. */
export function handleRequest(request: WorkflowRequest): WorkflowOutcome {
  if (request.kind === 'examine')
    return { kind: 'examined', examined: examine(request.source, request.input) }
  const { source, contexts } = request
  const outcome = attempt((): WorkflowOutcome => {
    if (request.kind === 'call') return { kind: 'called', called: planCall(request.caller, source, contexts) }
    const workflow = readWorkflow(openWorkflow(source).tree)
    return request.kind === 'plan'
      ? { kind: 'planned', plan: planRun(workflow, contexts) }
      : { kind: 'expanded', jobs: planDeferred(workflow, contexts) }
  })
  return outcome.ok ? outcome.value : { kind: 'fault', fault: outcome.fault }
}

/** A file that cannot be read starts with every push, so that its author sees the fault. */
export const faultyFile = (fault: string, { event }: EventInput): Examined => ({
  name: '',
  starts: event === 'push',
  schedule: [],
  dispatch: undefined,
  ignored: [],
  listens: [],
  calls: [],
  fault,
})

function examine(source: string, input: EventInput): Examined {
  const parsed = attempt(() => openWorkflow(source))
  if (!parsed.ok) return faultyFile(parsed.fault, input)
  const { tree, triggers } = parsed.value
  const read = attempt(() => readWorkflow(tree))
  return {
    name: read.ok ? read.value.name : '',
    starts: starts(triggers, input),
    schedule: triggers.schedule,
    dispatch: triggers.dispatch,
    ignored: triggers.ignored,
    listens: [...typedEvents, 'workflow_run' as const].filter((event) => triggers[event] !== undefined),
    calls: read.ok ? callsOf(read.value) : [],
    fault: read.ok ? undefined : read.fault,
  }
}

const callsOf = ({ jobs }: Workflow) => [
  ...new Set(jobs.flatMap(({ uses, fault }) => (uses === undefined || fault !== undefined ? [] : [uses]))),
]

function starts(triggers: ReturnType<typeof openWorkflow>['triggers'], input: EventInput): boolean {
  switch (input.event) {
    case 'push':
      return triggers.push !== undefined && passesPush(triggers.push, input)
    case 'pull_request':
    case 'pull_request_target': {
      const filters = triggers[input.event]
      if (!filters || !passesPull(filters, input)) return false
      return passesTypes({ types: defaultTypes, ...filters }, input)
    }
    case 'release':
    case 'issues':
    case 'issue_comment':
    case 'pull_request_review':
    case 'pull_request_review_comment':
    case 'pull_request_comment': {
      const filters = triggers[input.event]
      return filters !== undefined && filters.unknown.length === 0 && passesTypes(filters, input)
    }
    case 'workflow_run': {
      const filters = triggers.workflow_run
      return filters !== undefined && passesTypes(filters, input) && passesRun(filters, input)
    }
    case 'schedule':
      return triggers.schedule.length > 0
    case 'workflow_dispatch':
      return triggers.dispatch !== undefined
    case 'workflow_call':
      return triggers.isCallable
    default:
      return triggers[input.event]
  }
}

/** The actions of pull requests that start workflows without `types`. */
const defaultTypes = ['opened', 'synchronize', 'reopened']

const labelTypes = { label_updated: ['labeled'], label_cleared: ['unlabeled'] }
const pullTypes = { ...labelTypes, synchronized: ['synchronize'] }
/** A review is submitted, or a comment on lines created; what an author edits is not told apart. */
const reviewTypes = { reviewed: ['submitted', 'edited', 'created'] }

/** Events whose workflows filter by action. */
type ActionEvent = TypedEvent | PullEvent | 'workflow_run'

/** The names in `types` for actions of webhooks; other actions have the same name there. */
const typeNames: Readonly<Record<ActionEvent, Readonly<Record<string, readonly string[]>>>> = {
  release: { updated: ['edited', 'updated'] },
  issues: labelTypes,
  issue_comment: {},
  pull_request: pullTypes,
  pull_request_target: pullTypes,
  pull_request_review: reviewTypes,
  pull_request_review_comment: reviewTypes,
  pull_request_comment: {},
  workflow_run: {},
}

/** Whether an action matches these patterns; without `types`, every action does. */
function passesTypes(
  { types }: { readonly types?: readonly string[] },
  { event, action }: { readonly event: ActionEvent; readonly action: string },
): boolean {
  if (types === undefined) return true
  const named = typeNames[event][action] ?? [action]
  return types.some((pattern) => named.some((name) => compileGlob(pattern)?.(name) ?? false))
}
