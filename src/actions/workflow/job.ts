import { checkCondition } from './condition.ts'
import { attempt, fail, quote } from './fault.ts'
import { type Permissions, readPermissions } from './permissions.ts'
import { type Dict, dict, field, isEmpty, list, type Node, text, textField, texts } from './tree.ts'
import { readUses } from './uses.ts'

/** A job of a file, before its expressions are evaluated. */
export interface JobSpec {
  readonly key: string
  readonly tree: Dict
  readonly needs: readonly string[]
  readonly name: string | undefined
  /** Empty if there is no `if`. */
  readonly condition: string
  readonly permissions: Permissions | undefined
  /** The workflow that it calls instead of having steps, as written. */
  readonly uses: string | undefined
  /** Display names of the steps. */
  readonly steps: readonly string[]
  /** Why this job (but no other) cannot run. */
  readonly fault: string | undefined
}

const keySyntax = /^[A-Za-z_][A-Za-z0-9_-]{0,99}$/

/** Reads a job. @throws WorkflowFault when the job makes the whole file invalid */
export function readJob(key: string, node: Node): JobSpec {
  if (!keySyntax.test(key)) fail(`${quote(key)} cannot be the name of a job`)
  const what = `job ${quote(key)}`
  if (isEmpty(node)) return fail(`${what} is empty`)
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
    uses: textField(tree, 'uses', what),
    fault: usesFault(tree) ?? conditionFault(condition),
  }
}

function usesFault(tree: Dict): string | undefined {
  const uses = field(tree, 'uses')
  if (uses === undefined) return undefined
  if (field(tree, 'steps')) return 'a job that uses a workflow has no steps of its own'
  const read = attempt(() => readUses(text(uses, '"uses"')))
  return read.ok ? undefined : read.fault
}

function conditionFault(condition: string): string | undefined {
  const checked = attempt(() => condition.trim() !== '' && checkCondition(condition))
  return checked.ok ? undefined : checked.fault
}

/** Names of the steps; empty for a job that uses a reusable workflow. */
function stepsOf(tree: Dict, what: string): string[] {
  const steps = field(tree, 'steps')
  if (!steps) return field(tree, 'uses') ? [] : fail(`${what} has neither "steps" nor "uses"`)
  const names = list(steps, `"steps" of ${what}`)
    .items.filter((step) => !isEmpty(step))
    .map((step) => stepName(dict(step, `each step of ${what}`), what))
  if (names.length === 0) fail(`${what} has no steps`)
  return names.length <= maxSteps ? names : fail(`${what} has more than ${maxSteps} steps`)
}

const maxSteps = 1000
const maxNameLength = 255

function stepName(step: Dict, what: string): string {
  const uses = textField(step, 'uses', what)
  const run = textField(step, 'run', what)
  if (uses === undefined && run === undefined) fail(`a step of ${what} has neither "run" nor "uses"`)
  const name = textField(step, 'name', what)
  if (name) return name.slice(0, maxNameLength).toWellFormed()
  const first = run === undefined ? (uses ?? '') : (run.trimStart().split('\n', 1)[0] ?? '')
  return `Run ${first}`.slice(0, maxNameLength).toWellFormed()
}

/** The nodes of `runs-on` before evaluation: one label, several, or a group with labels. */
export function labelNodes(tree: Dict): readonly Node[] {
  const node = field(tree, 'runs-on')
  if (!node) return []
  if (node.kind === 'scalar') return [node]
  if (node.kind === 'list') return node.items
  const group = field(node, 'group')
  const labels = field(node, 'labels')
  const more = labels === undefined ? [] : labels.kind === 'list' ? labels.items : [labels]
  return group ? [group, ...more] : more
}
