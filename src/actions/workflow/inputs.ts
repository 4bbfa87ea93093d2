import { dict, field, isNothing, type Node, textField } from './tree.ts'

/** An input of `workflow_dispatch`. What else it declares (type, options, required) is not enforced. */
export interface InputSpec {
  name: string
  default: string
}

/** Inputs of a workflow at most. */
const most = 100

/** The inputs that `workflow_dispatch` declares. @throws WorkflowFault */
export function readInputs(node: Node): InputSpec[] {
  const inputs = node.kind === 'dict' ? field(node, 'inputs') : undefined
  if (!inputs) return []
  const what = '"on.workflow_dispatch.inputs"'
  return [...dict(inputs, what).entries].slice(0, most).map(([name, spec]) => ({
    name,
    default: isNothing(spec) ? '' : (textField(dict(spec, `${what}: each input`), 'default', what) ?? ''),
  }))
}

/** What a run gets: the declared names only, with what was given or the default. Values stay texts. */
export function takeInputs(
  specs: readonly InputSpec[],
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const entries = specs.map(({ name, default: usual }): [string, string] => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    return [name, value ?? usual]
  })
  return Object.fromEntries(entries)
}
