import { checkCondition } from './condition.ts'
import { attempt, quote, refuse } from './fault.ts'
import { type Permissions, readPermissions } from './permissions.ts'
import { type Dict, dict, field, isNothing, list, type Node, text, textField, texts } from './tree.ts'

/** A job as its file has it. */
export interface JobSpec {
  readonly key: string
  readonly tree: Dict
  readonly needs: readonly string[]
  readonly name: string | undefined
  /** Without `if`: empty. */
  readonly condition: string
  readonly permissions: Permissions | undefined
  /** Names of its steps, as they are shown. */
  readonly steps: readonly string[]
  /** What keeps this job, and no other, from running. */
  readonly fault: string | undefined
}

const keySyntax = /^[A-Za-z_][A-Za-z0-9_-]{0,99}$/

/** Reads a job. @throws WorkflowFault when the whole file makes no sense with it */
export function readJob(key: string, node: Node): JobSpec {
  if (!keySyntax.test(key)) refuse(`${quote(key)} cannot be the name of a job`)
  const what = `job ${quote(key)}`
  if (isNothing(node)) return refuse(`${what} is empty`)
  const tree = dict(node, what)
  const condition = textField(tree, 'if', what) ?? ''
  return {
    key,
    tree,
    needs: [...new Set(texts(field(tree, 'needs'), `"needs" of ${what}`))],
    name: textField(tree, 'name', what),
    condition,
    permissions: readPermissions(field(tree, 'permissions')),
    steps: stepsOf(tree, what),
    fault: unsupported(tree) ?? faultOf(condition),
  }
}

function unsupported(tree: Dict): string | undefined {
  if (field(tree, 'uses')) return 'reusable workflows ("uses" of a job) are not supported'
  return undefined
}

function faultOf(condition: string): string | undefined {
  const checked = attempt(() => condition.trim() !== '' && checkCondition(condition))
  return 'fault' in checked ? checked.fault : undefined
}

/** Names of the steps; empty for a job that another workflow makes up. */
function stepsOf(tree: Dict, what: string): string[] {
  const steps = field(tree, 'steps')
  if (!steps) return field(tree, 'uses') ? [] : refuse(`${what} has neither "steps" nor "uses"`)
  const names = list(steps, `"steps" of ${what}`)
    .items.filter((step) => !isNothing(step))
    .map((step) => stepName(dict(step, `each step of ${what}`), what))
  if (names.length === 0) refuse(`${what} has no steps`)
  return names.length <= mostSteps ? names : refuse(`${what} has more than ${mostSteps} steps`)
}

const mostSteps = 1000
const longestName = 255

function stepName(step: Dict, what: string): string {
  const uses = textField(step, 'uses', what)
  const run = textField(step, 'run', what)
  if (uses === undefined && run === undefined) refuse(`a step of ${what} has neither "run" nor "uses"`)
  const name = textField(step, 'name', what)
  if (name) return name.slice(0, longestName).toWellFormed()
  const first = run === undefined ? (uses ?? '') : (run.trimStart().split('\n', 1)[0] ?? '')
  return `Run ${first}`.slice(0, longestName).toWellFormed()
}

/** `runs-on` as it is written: one label, several, or a group with labels. @throws WorkflowFault */
export function labelsWritten(tree: Dict): { scalar: Node | undefined; nodes: readonly Node[] } {
  const node = field(tree, 'runs-on')
  if (!node) return { scalar: undefined, nodes: [] }
  if (node.kind === 'scalar') return { scalar: node, nodes: [node] }
  if (node.kind === 'list') return { scalar: undefined, nodes: node.items }
  const group = field(node, 'group')
  const labels = field(node, 'labels')
  const more = labels === undefined ? [] : labels.kind === 'list' ? labels.items : [labels]
  return { scalar: undefined, nodes: group ? [group, ...more] : more }
}

/** A concurrency group as it is written. */
export interface WrittenConcurrency {
  readonly group: string
  /** An expression, or `true` or `false`. */
  readonly cancel: string
}

/** Characters of `concurrency`, which may be evaluated where others wait. */
const longestGroup = 21_000

/** Reads `concurrency:`, a group or a mapping. @throws WorkflowFault */
export function readConcurrency(node: Node | undefined): WrittenConcurrency | undefined {
  if (isNothing(node)) return undefined
  if (node.size > longestGroup) return refuse('"concurrency" is too long')
  if (node.kind === 'scalar') return { group: node.text, cancel: 'false' }
  const tree = dict(node, '"concurrency"')
  const group = field(tree, 'group')
  if (!group) return refuse('"concurrency" has no "group"')
  return {
    group: text(group, '"concurrency.group"'),
    cancel: textField(tree, 'cancel-in-progress', '"concurrency"') ?? 'false',
  }
}
