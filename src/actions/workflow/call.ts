import {
  type PassedSecrets,
  readCallSpec,
  resolveCallInputs,
  resolveSecrets,
  scalarValue,
} from './call-spec.ts'
import type { Scope } from './expression.ts'
import { fail, quote } from './fault.ts'
import { Budget } from './functions.ts'
import type { Inputs } from './inputs.ts'
import { contextsOf, type PlanContexts, type PlannedJobs, planCalled } from './plan.ts'
import { scopesOf } from './planned-job.ts'
import { evaluateText } from './template.ts'
import { dict, field, isEmpty } from './tree.ts'
import { isObject, type Json, type Names, type Value } from './values.ts'
import { openWorkflow, readWorkflow } from './workflow.ts'

/** What a job passes to the workflow that it calls, and what it gets back. */
export interface Call {
  readonly inputs: Inputs
  readonly secrets: PassedSecrets
  /** Templates of the outputs by name. */
  readonly outputs: Readonly<Record<string, string>>
}

/** A call whose jobs are planned. */
export interface PlannedCall {
  readonly call: Call
  readonly jobs: PlannedJobs
}

/**
 * Plans the jobs of a called workflow. `caller`: the workflow with the calling job alone; `contexts`: those of the caller.
 * @throws WorkflowFault
 */
export function planCall(caller: string, called: string, contexts: PlanContexts): PlannedCall {
  const [spec] = readWorkflow(openWorkflow(caller).tree).jobs
  if (!spec) return fail('the calling job is missing')
  const { tree } = openWorkflow(called)
  const callSpec = readCallSpec(tree.entries.get('on'))
  const base = contextsOf(contexts)
  const [scope = { contexts: base }] = scopesOf(spec, base)
  const passed = passedInputs(field(spec.tree, 'with'), scope)
  const inputs = resolveCallInputs(callSpec, passed, { contexts: base })
  const call = {
    inputs,
    secrets: resolveSecrets(callSpec, field(spec.tree, 'secrets')),
    outputs: callSpec.outputs,
  }
  const { github, vars } = contexts
  return {
    call,
    jobs: planCalled(readWorkflow(tree), { github: calledGithub(github, inputs), vars, inputs }),
  }
}

function passedInputs(node: ReturnType<typeof field>, scope: Scope): Map<string, Value> {
  if (isEmpty(node)) return new Map()
  return new Map(
    [...dict(node, '"with"').entries].map(([name, value]) => {
      if (value.kind !== 'scalar') return fail(`input ${quote(name)} must be a string, a number or a boolean`)
      return [name, scalarValue(value, scope)]
    }),
  )
}

/**
 * The `github` context in a called workflow. Runners take its inputs from the event, and only of an event of this name;
 * there they are texts.
 */
export function calledGithub(github: Json, inputs: Inputs): { readonly [key: string]: Json } {
  const context = isObject(github) ? github : {}
  const event = isObject(context.event) ? context.event : {}
  return { ...context, event_name: 'workflow_call', event: { ...event, inputs: inputTexts(inputs) } }
}

export const inputTexts = (inputs: Inputs): Record<string, string> =>
  Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, String(value)]))

/** The outputs of a called workflow. `jobs`: results and outputs of its jobs. @throws WorkflowFault */
export function evaluateOutputs({ outputs }: Call, contexts: Names, jobs: Value): Record<string, string> {
  const scope = { contexts: contexts.with('jobs', jobs) }
  const budget = new Budget()
  return Object.fromEntries(
    Object.entries(outputs).map(([name, template]) => [name, evaluateText(template, scope, budget)]),
  )
}
