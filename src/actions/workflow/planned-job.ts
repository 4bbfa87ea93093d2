import { data } from '@actions/expressions'
import { type Concurrency, type ConcurrencySource, fillConcurrency, readConcurrency } from './concurrency.ts'
import { usesContext } from './condition.ts'
import { usesNeeds } from './deferral.ts'
import { type Environment, environmentOf } from './environment.ts'
import type { Scope } from './expression.ts'
import { attempt, fail, quote } from './fault.ts'
import { type JobSpec, labelNodes } from './job.ts'
import { type Combination, expandMatrix, printCombination } from './matrix.ts'
import { expansionOf, payloadOf } from './payload.ts'
import type { Permissions } from './permissions.ts'
import { readStrategy, type Strategy } from './strategy.ts'
import { evaluateFlag, evaluateTemplate, evaluateText, hasExpression } from './template.ts'
import { type Dict, dictOf, field, type Node } from './tree.ts'
import { type Json, type Names, valueFrom, valueFromNode } from './values.ts'
import type { Workflow } from './workflow.ts'

/** A job, or one combination of its matrix. */
export interface PlannedJob {
  readonly key: string
  readonly name: string
  readonly needs: readonly string[]
  readonly labels: readonly string[]
  readonly condition: string
  /** Values of the matrix by name; undefined without one. */
  readonly matrix: Readonly<Record<string, Json>> | undefined
  /** Whether it stops when another job of its matrix fails. */
  readonly failsFast: boolean
  /** How many jobs of its matrix may be active at a time; undefined: all. */
  readonly maxParallel: number | undefined
  readonly continueOnError: boolean
  /** Minutes after which the server ends the job; undefined if absent, or if the server cannot evaluate it. */
  readonly timeoutMinutes: number | undefined
  readonly environment: Environment | undefined
  readonly concurrency: Concurrency | undefined
  /** A group that uses outputs of other jobs, to evaluate when they have ended. */
  readonly deferredConcurrency: ConcurrencySource | undefined
  /** Undefined if not specified. */
  readonly permissions: Permissions | undefined
  /** Names of its steps. */
  readonly steps: readonly string[]
  /** The workflow with this job alone, as YAML for a runner. */
  readonly payload: string
  readonly caller?: undefined
  readonly expansion?: undefined
  readonly fault?: undefined
}

/** A job that calls another workflow, whose jobs are planned when it may run. */
export interface CallingJob extends Omit<PlannedJob, 'payload' | 'caller'> {
  readonly uses: string
  /** The workflow with this job alone, as YAML. */
  readonly caller: string
  readonly payload?: undefined
}

/** A job that can be planned only when the jobs it needs have ended: its matrix, name or labels depend on them. */
export interface DeferredJob extends Pick<PlannedJob, 'key' | 'name' | 'needs' | 'condition'> {
  /** The workflow with this job alone, as YAML whose expressions are not evaluated. */
  readonly expansion: string
  readonly payload?: undefined
  readonly caller?: undefined
  readonly fault?: undefined
}

/** A job that cannot run. */
export interface FailedJob extends Pick<PlannedJob, 'key' | 'name'> {
  readonly payload?: undefined
  readonly caller?: undefined
  readonly expansion?: undefined
  /** Why it cannot run; becomes its log. */
  readonly fault: string
}

const maxNameLength = 255

/** Plans a job of a workflow: one for each combination of its matrix. `head`: what the payloads of all jobs share. */
export function planJob(
  spec: JobSpec,
  workflow: Workflow,
  head: string,
  contexts: Names,
): readonly (PlannedJob | CallingJob | DeferredJob | FailedJob)[] {
  const { key, fault } = spec
  if (fault !== undefined) return [{ key, name: key, fault }]
  const planned = attempt(() => {
    if (contexts.get('needs') === undefined && usesNeeds(spec)) return [deferredJob(spec, head)]
    return scopesOf(spec, contexts).map((scope) => {
      const job = planOne(spec, workflow, head, scope)
      const { uses } = spec
      return uses === undefined ? job : { ...job, uses, caller: job.payload, payload: undefined }
    })
  })
  return planned.ok ? planned.value : [{ key, name: key, fault: planned.fault }]
}

/** The scopes of the combinations of a job. @throws WorkflowFault */
export function scopesOf(spec: JobSpec, contexts: Names): JobScope[] {
  const strategy = readStrategy(spec, { contexts })
  const combinations = strategy.matrix ? expandMatrix(strategy.matrix, { contexts }) : [undefined]
  return combinations.map((each, at) => scopeOf(contexts, each, strategy, at, combinations.length))
}

function deferredJob({ key, tree, needs, name, condition }: JobSpec, head: string): DeferredJob {
  if (needs.length === 0) fail(`job ${quote(key)} uses "needs", but it needs no job`)
  const shown = name === undefined || hasExpression(name) ? key : cleanName(name)
  return { key, name: shown || key, needs, condition, expansion: expansionOf(head, key, tree) }
}

/** The scope of the expressions of one combination. */
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
  const continueNode = field(tree, 'continue-on-error')
  const continueOnError = continueNode && continuesOnError(continueNode, scope)
  const source = readConcurrency(field(tree, 'concurrency'))
  const isDeferred =
    source !== undefined && needs.length > 0 && usesContext(source.group + source.cancel, 'needs')
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
    environment: environmentOf(field(tree, 'environment'), scope),
    concurrency: source && !isDeferred ? fillConcurrency(source, scope) : undefined,
    deferredConcurrency: isDeferred ? source : undefined,
    permissions: spec.permissions ?? workflow.permissions,
    steps,
    payload: payloadOf(head, { key, tree, name, labels, combination, continueOnError }),
  }
}

function nameOf({ name, key }: JobSpec, scope: JobScope): string {
  const displayed = name === undefined ? key : evaluateText(name, scope)
  const suffix =
    scope.combination && (name === undefined || !hasExpression(name)) && scope.combination.size > 0
      ? ` (${printCombination(scope.combination)})`
      : ''
  return cleanName(`${displayed.trim() || key}${suffix}`)
}

const cleanName = (name: string) => name.replaceAll(/\s+/g, ' ').slice(0, maxNameLength).toWellFormed()

function labelsOf(tree: Dict, scope: JobScope): string[] {
  return labelNodes(tree).flatMap((node) => {
    if (node.kind !== 'scalar') return fail('"runs-on" must be a label or a list of labels')
    const value = evaluateTemplate(node.text, scope)
    const labels =
      value instanceof data.Array ? value.values().map((each) => each.coerceString()) : [value.coerceString()]
    return labels.map((label) => label.trim() || fail('"runs-on" has an empty label'))
  })
}

function continuesOnError(node: Node, scope: JobScope): boolean {
  if (node.kind !== 'scalar') return fail('"continue-on-error" must be true or false')
  return evaluateFlag(node.text, scope)
}

/** Longer timeouts are ignored. */
const maxMinutes = 365 * 24 * 60

/** `timeout-minutes`, rounded up; undefined if it is invalid or cannot be evaluated here: the runner then decides. */
function timeoutOf(tree: Dict, scope: JobScope): number | undefined {
  const node = field(tree, 'timeout-minutes')
  if (node?.kind !== 'scalar') return undefined
  const filled = attempt(() => evaluateText(node.text, scope).trim())
  const minutes = filled.ok && filled.value !== '' ? Math.ceil(Number(filled.value)) : Number.NaN
  return minutes > 0 && minutes <= maxMinutes ? minutes : undefined
}

/** Numbers that JSON cannot represent become strings. */
function jsonOf(node: Node): Json {
  if (node.kind === 'list') return node.items.map(jsonOf)
  if (node.kind === 'dict')
    return Object.fromEntries([...node.entries].map(([key, each]) => [key, jsonOf(each)]))
  return typeof node.value === 'number' && !Number.isFinite(node.value) ? node.text : node.value
}
