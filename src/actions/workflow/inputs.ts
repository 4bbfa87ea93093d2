import { dict, field, isEmpty, type Node, textField } from './tree.ts'

/** An input of `workflow_dispatch`. Its other properties (type, options, required) are not enforced. */
export interface InputSpec {
  name: string
  default: string
}

/** Maximum inputs of a workflow. */
const maxInputs = 100

/** The inputs that `workflow_dispatch` declares. @throws WorkflowFault */
export function readInputs(node: Node): InputSpec[] {
  const inputs = node.kind === 'dict' ? field(node, 'inputs') : undefined
  if (!inputs) return []
  const what = '"on.workflow_dispatch.inputs"'
  return [...dict(inputs, what).entries].slice(0, maxInputs).map(([name, spec]) => ({
    name,
    default: isEmpty(spec) ? '' : (textField(dict(spec, `${what}: each input`), 'default', what) ?? ''),
  }))
}

/** The inputs of a run: declared names only, with the given value or the default. Values stay strings. */
export function resolveInputs(
  specs: readonly InputSpec[],
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const entries = specs.map(({ name, default: fallback }): [string, string] => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    return [name, value ?? fallback]
  })
  return Object.fromEntries(entries)
}
