import { attempt } from './fault.ts'
import type { InputSpec } from './inputs.ts'
import { type Plan, type PlanContexts, planRun } from './plan.ts'
import { passesPush } from './push-filter.ts'
import { openWorkflow, readWorkflow } from './workflow.ts'

/** What happened, as far as it decides which workflows start. */
export type Happening =
  | { readonly event: 'push'; readonly ref: string; readonly changed: readonly string[] }
  | { readonly event: 'create' | 'delete' | 'schedule' | 'workflow_dispatch' }

/** What a file is asked: whether it starts, and, once the run has its number, of what jobs it consists. */
export type WorkflowRequest =
  | { readonly kind: 'examine'; readonly source: string; readonly happening: Happening }
  | { readonly kind: 'plan'; readonly source: string; readonly contexts: PlanContexts }

/** What was found out about a file. */
export interface Examined {
  /** The name of the workflow; empty when it has none, or cannot be read. */
  readonly name: string
  readonly starts: boolean
  /** Cron lines. */
  readonly schedule: readonly string[]
  /** Inputs of a start by hand; undefined when there is none. */
  readonly dispatch: readonly InputSpec[] | undefined
  /** Events it names that start nothing here. */
  readonly ignored: readonly string[]
  /** Why it cannot run, though it should start. */
  readonly fault: string | undefined
}

/** Answers of a worker. `problem` is about the request as a whole; `log` is more than its author should read. */
export type WorkflowOutcome =
  | { readonly kind: 'examined'; readonly examined: Examined }
  | { readonly kind: 'planned'; readonly plan: Plan }
  | { readonly kind: 'fault'; readonly fault: string }
  | { readonly kind: 'problem'; readonly reason: 'busy' | 'failed'; readonly log: string }

/** What a worker does with a request. */
export function answer(request: WorkflowRequest): WorkflowOutcome {
  if (request.kind === 'examine')
    return { kind: 'examined', examined: examine(request.source, request.happening) }
  const planned = attempt(() => planRun(readWorkflow(openWorkflow(request.source).tree), request.contexts))
  return 'fault' in planned ? { kind: 'fault', ...planned } : { kind: 'planned', plan: planned.value }
}

/** A file whose `on:` cannot be read would start with every push, so that its author gets to see why. */
function examine(source: string, happening: Happening): Examined {
  const opened = attempt(() => openWorkflow(source))
  const nothing = { name: '', schedule: [], dispatch: undefined, ignored: [] }
  if ('fault' in opened) return { ...nothing, starts: happening.event === 'push', fault: opened.fault }
  const { tree, triggers } = opened.value
  const read = attempt(() => readWorkflow(tree))
  return {
    name: 'value' in read ? read.value.name : '',
    starts: starts(triggers, happening),
    schedule: triggers.schedule,
    dispatch: triggers.dispatch,
    ignored: triggers.ignored,
    fault: 'fault' in read ? read.fault : undefined,
  }
}

function starts(triggers: ReturnType<typeof openWorkflow>['triggers'], happening: Happening): boolean {
  switch (happening.event) {
    case 'push':
      return triggers.push !== undefined && passesPush(triggers.push, happening)
    case 'schedule':
      return triggers.schedule.length > 0
    case 'workflow_dispatch':
      return triggers.dispatch !== undefined
    default:
      return triggers[happening.event]
  }
}
