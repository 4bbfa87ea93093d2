import { attempt } from './fault.ts'
import type { InputSpec } from './inputs.ts'
import { type Plan, type PlanContexts, planRun } from './plan.ts'
import { passesPush } from './push-filter.ts'
import { passesTypes, type TypedEvent } from './type-filter.ts'
import { openWorkflow, readWorkflow } from './workflow.ts'

/** The properties of an event that decide which workflows it starts. */
export type EventInput =
  | { readonly event: 'push'; readonly ref: string; readonly changed: readonly string[] }
  | { readonly event: TypedEvent; readonly action: string }
  | { readonly event: 'create' | 'delete' | 'schedule' | 'workflow_dispatch' }

/** A request to a worker: examine whether a file starts, or plan its jobs once the run has a number. */
export type WorkflowRequest =
  | { readonly kind: 'examine'; readonly source: string; readonly input: EventInput }
  | { readonly kind: 'plan'; readonly source: string; readonly contexts: PlanContexts }

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
  /** Events about issues that it waits for. */
  readonly listens: readonly string[]
  /** Why it cannot run although it should start. */
  readonly fault: string | undefined
}

/** Results of a worker. `problem` concerns the request as a whole; its `log` is for the operator, not the author. */
export type WorkflowOutcome =
  | { readonly kind: 'examined'; readonly examined: Examined }
  | { readonly kind: 'planned'; readonly plan: Plan }
  | { readonly kind: 'fault'; readonly fault: string }
  | { readonly kind: 'problem'; readonly reason: 'busy' | 'failed'; readonly log: string }

/** Handles a request in a worker. */
export function handleRequest(request: WorkflowRequest): WorkflowOutcome {
  if (request.kind === 'examine')
    return { kind: 'examined', examined: examine(request.source, request.input) }
  const planned = attempt(() => planRun(readWorkflow(openWorkflow(request.source).tree), request.contexts))
  return planned.ok ? { kind: 'planned', plan: planned.value } : { kind: 'fault', fault: planned.fault }
}

/** A file whose `on:` cannot be read starts with every push, so that its author sees the fault. */
function examine(source: string, input: EventInput): Examined {
  const parsed = attempt(() => openWorkflow(source))
  const empty = { name: '', schedule: [], dispatch: undefined, ignored: [], listens: [] }
  if (!parsed.ok) return { ...empty, starts: input.event === 'push', fault: parsed.fault }
  const { tree, triggers } = parsed.value
  const read = attempt(() => readWorkflow(tree))
  return {
    name: read.ok ? read.value.name : '',
    starts: starts(triggers, input),
    schedule: triggers.schedule,
    dispatch: triggers.dispatch,
    ignored: triggers.ignored,
    listens: (['issues', 'issue_comment'] as const).filter((event) => triggers[event] !== undefined),
    fault: read.ok ? undefined : read.fault,
  }
}

function starts(triggers: ReturnType<typeof openWorkflow>['triggers'], input: EventInput): boolean {
  switch (input.event) {
    case 'push':
      return triggers.push !== undefined && passesPush(triggers.push, input)
    case 'release':
    case 'issues':
    case 'issue_comment': {
      const filters = triggers[input.event]
      return filters !== undefined && passesTypes(filters, input.event, input.action)
    }
    case 'schedule':
      return triggers.schedule.length > 0
    case 'workflow_dispatch':
      return triggers.dispatch !== undefined
    default:
      return triggers[input.event]
  }
}
