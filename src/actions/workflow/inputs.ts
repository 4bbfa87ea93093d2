import { type Dict, dict, field, isEmpty, type Node, textField } from './tree.ts'

/** An input of `workflow_dispatch`. `options` and `isRequired` are for forms: a start by a program may leave them aside. */
export interface InputSpec {
  name: string
  /** Every other type, such as `choice`, is a string. */
  type: 'string' | 'boolean' | 'number'
  default: string
  /** "" if it has none. */
  description: string
  isRequired: boolean
  /** The values of a `choice`; none for other types. */
  options: readonly string[]
}

/** The context `inputs` of expressions: values by name. */
export type Inputs = Readonly<Record<string, string | number | boolean>>

/** Maximum inputs of a workflow. */
const maxInputs = 100

/** The inputs that `workflow_dispatch` declares. @throws WorkflowFault */
export function readInputs(node: Node): InputSpec[] {
  const inputs = node.kind === 'dict' ? field(node, 'inputs') : undefined
  if (!inputs) return []
  return [...dict(inputs, what).entries].slice(0, maxInputs).map(([name, spec]) => readInput(name, spec))
}

const what = '"on.workflow_dispatch.inputs"'

function readInput(name: string, node: Node): InputSpec {
  if (isEmpty(node))
    return { name, type: 'string', default: '', description: '', isRequired: false, options: [] }
  const spec = dict(node, `${what}: each input`)
  const type = textField(spec, 'type', what)
  const fallback = field(spec, 'default')
  // Runners compare the text with `true`, and YAML has more ways to write it.
  const isTrue = fallback?.kind === 'scalar' && fallback.value === true
  return {
    name,
    type: type === 'boolean' || type === 'number' ? type : 'string',
    default: isTrue ? 'true' : (textField(spec, 'default', what) ?? ''),
    ...forForms(spec, type),
  }
}

/** What only forms need: a value of another kind is no reason why a workflow does not start. */
function forForms(spec: Dict, type: string | undefined) {
  const [description, required, options] = ['description', 'required', 'options'].map((key) =>
    field(spec, key),
  )
  const texts =
    options?.kind === 'list' ? options.items.flatMap((item) => (item.kind === 'scalar' ? item.text : [])) : []
  return {
    description: description?.kind === 'scalar' ? description.text : '',
    isRequired: required?.kind === 'scalar' && required.value === true,
    options: type === 'choice' ? texts : [],
  }
}

/**
 * The inputs of a run in `github.event.inputs`: only declared names, each with the value of the caller or the default, as
 * texts. Runners read them there and convert them themselves.
 */
export function resolveInputs(
  specs: readonly Pick<InputSpec, 'name' | 'default'>[],
  values: Readonly<Record<string, string>>,
): Record<string, string> {
  const entries = specs.map(({ name, default: fallback }): [string, string] => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    return [name, value ?? fallback]
  })
  return Object.fromEntries(entries)
}

/** The same inputs in the context `inputs`: with the types that the workflow declares. */
export function typedInputs(
  specs: readonly Pick<InputSpec, 'name' | 'type'>[],
  texts: Readonly<Record<string, string>>,
): Inputs {
  return Object.fromEntries(specs.map(({ name, type }) => [name, typed(type, texts[name] ?? '')]))
}

/** As in runners, only `true` is true. A text that is not a number stays a text. */
function typed(type: InputSpec['type'], text: string): string | number | boolean {
  if (type === 'boolean') return text === 'true'
  const number = type === 'number' && text.trim() !== '' ? Number(text) : Number.NaN
  return Number.isFinite(number) ? number : text
}
