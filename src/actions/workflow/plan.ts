import { data } from '@actions/expressions'
import { asksFor } from './condition.ts'
import type { Scope } from './expression.ts'
import { attempt, refuse } from './fault.ts'
import { type JobSpec, labelsWritten, readConcurrency, type WrittenConcurrency } from './job.ts'
import { type Combination, expandMatrix, mostJobs, printCombination } from './matrix.ts'
import { payloadHead, payloadOf } from './payload.ts'
import type { Permissions } from './permissions.ts'
import { readStrategy, type Strategy } from './strategy.ts'
import { fill, fillFlag, fillText, hasExpression } from './template.ts'
import { type Dict, dictOf, field, type Node } from './tree.ts'
import { type Json, type Names, namesOf, valueFrom, valueFromNode } from './values.ts'
import type { Workflow } from './workflow.ts'

/** What expressions of a run may name before any of its jobs has run. */
export interface PlanContexts {
  readonly github: Json
  readonly inputs: Readonly<Record<string, string>>
  readonly vars: Readonly<Record<string, string>>
}

/** A group of which one member runs at a time. */
export interface Concurrency {
  readonly group: string
  /** Whether a newcomer ends what is running. */
  readonly cancel: boolean
}

/** A run as it is about to be written into the database. */
export interface Plan {
  /** The name of the workflow; empty when it has none. */
  readonly name: string
  /** What `run-name` comes to. */
  readonly title: string | undefined
  readonly concurrency: Concurrency | undefined
  readonly jobs: readonly PlannedJob[]
}

/** A job, or one combination of its matrix. */
export interface PlannedJob {
  readonly key: string
  readonly name: string
  readonly needs: readonly string[]
  readonly labels: readonly string[]
  readonly condition: string
  /** Values of the matrix by name; undefined without one. */
  readonly matrix: Readonly<Record<string, Json>> | undefined
  /** Whether the failure of another job of its matrix ends it. */
  readonly failsFast: boolean
  /** How many jobs of its matrix may be under way at a time; undefined: all of them. */
  readonly maxParallel: number | undefined
  readonly continueOnError: boolean
  /** After how many minutes the job is ended; undefined when the file says nothing that can be evaluated here. */
  readonly timeoutMinutes: number | undefined
  readonly concurrency: Concurrency | undefined
  /** A group that depends on what other jobs give: to be evaluated when they are done. */
  readonly lateConcurrency: WrittenConcurrency | undefined
  /** Undefined when the file says nothing. */
  readonly permissions: Permissions | undefined
  /** Names of its steps. */
  readonly steps: readonly string[]
  /** What a runner gets (C.7 of the protocol): YAML with this job alone. Empty when the job cannot run. */
  readonly payload: string
  /** Why this job cannot run: the log of its failure. */
  readonly fault: string | undefined
}

/** Characters of all payloads of a run. */
const mostPayload = 16 * 1024 * 1024

const longestName = 255

/** Makes of a workflow what is to be run. @throws WorkflowFault when nothing of it can run */
export function planRun(workflow: Workflow, contexts: PlanContexts): Plan {
  const scope: Scope = { contexts: contextsOf(contexts) }
  const title = workflow.runName === undefined ? undefined : fillText(workflow.runName, scope).trim()
  const concurrency = workflow.concurrency && fillConcurrency(workflow.concurrency, scope)
  const head = payloadHead(workflow.tree, title)
  const jobs: PlannedJob[] = []
  let size = 0
  for (const spec of workflow.jobs) {
    for (const job of planJob(spec, workflow, head, scope.contexts)) {
      jobs.push(job)
      size += job.payload.length
    }
    if (jobs.length > mostJobs) refuse(`there are more than ${mostJobs} jobs`)
    if (size > mostPayload) refuse('the jobs are too large together')
  }
  return { name: workflow.name, title: title?.slice(0, longestName), concurrency, jobs }
}

/** `gitea` is another name of `github`. */
export function contextsOf({ github, inputs, vars }: PlanContexts): Names {
  const event = valueFrom(github)
  return namesOf([
    ['github', event],
    ['gitea', event],
    ['inputs', valueFrom(inputs)],
    ['vars', valueFrom(vars)],
  ])
}

/** @throws WorkflowFault when an expression cannot be evaluated, or the group is empty */
export function fillConcurrency(
  { group, cancel }: WrittenConcurrency,
  scope: Scope,
): Concurrency | undefined {
  const name = fillText(group, scope)
  const cancels = fillFlag(cancel, scope)
  return name === '' ? undefined : { group: name, cancel: cancels }
}

function planJob(spec: JobSpec, workflow: Workflow, head: string, contexts: Names): PlannedJob[] {
  if (spec.fault !== undefined) return [failed(spec, spec.fault)]
  const planned = attempt(() => {
    const strategy = readStrategy(spec, { contexts })
    const combinations = strategy.matrix ? expandMatrix(strategy.matrix, { contexts }) : [undefined]
    return combinations.map((each, at) =>
      planOne(spec, workflow, head, scopeOf(contexts, each, strategy, at, combinations.length)),
    )
  })
  return 'value' in planned ? planned.value : [failed(spec, planned.fault)]
}

/** A job that is over before it begins. */
function failed(spec: JobSpec, fault: string): PlannedJob {
  return {
    key: spec.key,
    name: spec.key,
    needs: [],
    labels: [],
    condition: '',
    matrix: undefined,
    failsFast: false,
    maxParallel: undefined,
    continueOnError: false,
    timeoutMinutes: undefined,
    concurrency: undefined,
    lateConcurrency: undefined,
    permissions: undefined,
    steps: [],
    payload: '',
    fault,
  }
}

/** What the expressions of one combination may name. */
interface JobScope extends Scope {
  readonly combination: Combination | undefined
  readonly failsFast: boolean
  readonly maxParallel: number | undefined
}

function scopeOf(
  contexts: Names,
  combination: Combination | undefined,
  { failFast, maxParallel }: Strategy,
  index: number,
  total: number,
): JobScope {
  const facts = {
    'fail-fast': failFast,
    'job-index': index,
    'job-total': total,
    'max-parallel': maxParallel ?? total,
  }
  const matrix = combination ? valueFromNode(dictOf(combination)) : valueFrom(null)
  return {
    contexts: contexts.with('matrix', matrix).with('strategy', valueFrom(facts)),
    combination,
    failsFast: failFast && total > 1,
    maxParallel: maxParallel !== undefined && maxParallel < total ? maxParallel : undefined,
  }
}

function planOne(spec: JobSpec, workflow: Workflow, head: string, scope: JobScope): PlannedJob {
  const { key, tree, needs, condition, steps } = spec
  const name = nameOf(spec, scope)
  const labels = labelsOf(tree, scope)
  const tolerated = field(tree, 'continue-on-error')
  const continueOnError = tolerated && continuesOnError(tolerated, scope)
  const written = readConcurrency(field(tree, 'concurrency'))
  const isLate = written !== undefined && needs.length > 0 && asksFor(written.group + written.cancel, 'needs')
  const { combination } = scope
  return {
    key,
    name,
    needs,
    labels,
    condition,
    matrix: combination && Object.fromEntries([...combination].map(([axis, node]) => [axis, jsonOf(node)])),
    failsFast: scope.failsFast,
    maxParallel: scope.maxParallel,
    continueOnError: continueOnError ?? false,
    timeoutMinutes: timeoutOf(tree, scope),
    concurrency: written && !isLate ? fillConcurrency(written, scope) : undefined,
    lateConcurrency: isLate ? written : undefined,
    permissions: spec.permissions ?? workflow.permissions,
    steps,
    payload: payloadOf(head, { key, tree, name, labels, combination, continueOnError }),
    fault: undefined,
  }
}

function nameOf({ name, key }: JobSpec, scope: JobScope): string {
  if (name !== undefined && asksFor(name, 'needs')) refuse('a name that depends on "needs" is not supported')
  const shown = name === undefined ? key : fillText(name, scope)
  const suffix =
    scope.combination && (name === undefined || !hasExpression(name)) && scope.combination.size > 0
      ? ` (${printCombination(scope.combination)})`
      : ''
  return `${shown.trim() || key}${suffix}`.replaceAll(/\s+/g, ' ').slice(0, longestName).toWellFormed()
}

function labelsOf(tree: Dict, scope: JobScope): string[] {
  const { nodes } = labelsWritten(tree)
  return nodes.flatMap((node) => {
    if (node.kind !== 'scalar') return refuse('"runs-on" must be a label or a list of labels')
    if (asksFor(node.text, 'needs')) return refuse('"runs-on" that depends on "needs" is not supported')
    const value = fill(node.text, scope)
    const labels =
      value instanceof data.Array ? value.values().map((each) => each.coerceString()) : [value.coerceString()]
    return labels.map((label) => label.trim() || refuse('"runs-on" comes to nothing'))
  })
}

function continuesOnError(node: Node, scope: JobScope): boolean {
  if (node.kind !== 'scalar') return refuse('"continue-on-error" must be true or false')
  return fillFlag(node.text, scope)
}

/** A longer time is no bound. */
const mostMinutes = 365 * 24 * 60

/** `timeout-minutes`, rounded up. What cannot be evaluated here, or is no such number, is left to the runner. */
function timeoutOf(tree: Dict, scope: JobScope): number | undefined {
  const node = field(tree, 'timeout-minutes')
  if (node?.kind !== 'scalar') return undefined
  const filled = attempt(() => fillText(node.text, scope).trim())
  const minutes = 'value' in filled && filled.value !== '' ? Math.ceil(Number(filled.value)) : Number.NaN
  return minutes > 0 && minutes <= mostMinutes ? minutes : undefined
}

/** Numbers that JSON does not have become texts. */
function jsonOf(node: Node): Json {
  if (node.kind === 'list') return node.items.map(jsonOf)
  if (node.kind === 'dict')
    return Object.fromEntries([...node.entries].map(([key, each]) => [key, jsonOf(each)]))
  return typeof node.value === 'number' && !Number.isFinite(node.value) ? node.text : node.value
}
