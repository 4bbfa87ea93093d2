import { data } from '@actions/expressions'
import type { Scope } from './expression.ts'
import { fail, quote } from './fault.ts'
import type { Inputs } from './inputs.ts'
import { evaluateTemplate, hasExpression, parseTemplate } from './template.ts'
import { type Dict, dict, field, isEmpty, type Node, textField } from './tree.ts'
import { type Value, valueFrom, valueFromNode } from './values.ts'

/** What a workflow declares for those that call it: `on.workflow_call`. */
interface CallSpec {
  readonly inputs: ReadonlyMap<string, InputSpec>
  /** In upper case, and whether a caller must pass it. */
  readonly secrets: ReadonlyMap<string, boolean>
  /** Templates by name, evaluated when the jobs have ended. */
  readonly outputs: Readonly<Record<string, string>>
}

interface InputSpec {
  readonly type: 'string' | 'boolean' | 'number'
  readonly isRequired: boolean
  readonly fallback: Node | undefined
}

/** Maximum inputs and secrets, and maximum outputs, of a workflow that others call. */
const maximum = { entries: 100, outputs: 1_000 }

/** @throws WorkflowFault when the workflow declares no `workflow_call`, or what it declares is invalid */
export function readCallSpec(on: Node | undefined): CallSpec {
  if (!names(on, 'workflow_call')) return fail('"on" has no "workflow_call", so no job can use it')
  const node = on?.kind === 'dict' ? field(on, 'workflow_call') : undefined
  const call = node?.kind === 'dict' ? node : undefined
  const inputs = entriesOf(call, 'inputs', maximum.entries).map(
    ([name, spec]) => [name, inputOf(name, spec)] as const,
  )
  const secrets = entriesOf(call, 'secrets', maximum.entries).map(
    ([name, spec]) => [name.toUpperCase(), isRequired(spec)] as const,
  )
  const outputs = entriesOf(call, 'outputs', maximum.outputs).map(([name, spec]) => outputOf(name, spec))
  return { inputs: new Map(inputs), secrets: new Map(secrets), outputs: Object.fromEntries(outputs) }
}

function names(on: Node | undefined, event: string): boolean {
  if (isEmpty(on)) return false
  if (on.kind === 'scalar') return on.text === event
  if (on.kind === 'dict') return on.entries.has(event)
  return on.items.some((item) => item.kind === 'scalar' && item.text === event)
}

function entriesOf(call: Dict | undefined, key: string, limit: number): [string, Node][] {
  const node = call && field(call, key)
  const entries = node ? [...dict(node, `"on.workflow_call.${key}"`).entries] : []
  return entries.length <= limit ? entries : fail(`"on.workflow_call.${key}" has more than ${limit} entries`)
}

function inputOf(name: string, node: Node): InputSpec {
  const what = `input ${quote(name)}`
  const spec = dict(node, what)
  const type = textField(spec, 'type', what)
  if (type !== 'string' && type !== 'boolean' && type !== 'number')
    return fail(`${what} must have the type "string", "boolean" or "number"`)
  return { type, isRequired: isRequired(spec), fallback: field(spec, 'default') }
}

function isRequired(spec: Node): boolean {
  const required = spec.kind === 'dict' ? field(spec, 'required') : undefined
  return required?.kind === 'scalar' && required.value === true
}

function outputOf(name: string, node: Node): [string, string] {
  const what = `output ${quote(name)}`
  const value = textField(dict(node, what), 'value', what) ?? ''
  parseTemplate(value)
  return [name, value]
}

const typeDefaults = { string: '', boolean: false, number: 0 } as const

/**
 * The inputs of a called workflow: what the caller passes, else the default, else the empty value of the type. As in the
 * original, names that the workflow does not declare are ignored. `passed`: values of `with`; `scope`: of defaults.
 * @throws WorkflowFault when a required input is missing, or a value has another type
 */
export function resolveCallInputs(
  { inputs }: CallSpec,
  passed: ReadonlyMap<string, Value>,
  scope: Scope,
): Inputs {
  const entries = [...inputs].map(([name, { type, isRequired, fallback }]) => {
    const value = passed.get(name) ?? (fallback && scalarValue(fallback, scope))
    if (value === undefined && isRequired)
      return fail(`input ${quote(name)} is required, and the caller does not pass it`)
    return [name, value === undefined ? typeDefaults[type] : typedValue(name, type, value)] as const
  })
  return Object.fromEntries(entries)
}

function typedValue(name: string, type: InputSpec['type'], value: Value): string | number | boolean {
  if (type === 'string' && !isCollection(value)) return value.coerceString()
  if (type === 'boolean' && value instanceof data.BooleanData) return value.value
  if (type === 'number' && value instanceof data.NumberData) return value.value
  return fail(`input ${quote(name)} must be a ${type}`)
}

const isCollection = (value: Value) => value instanceof data.Array || value instanceof data.Dictionary

/** The value of a scalar, evaluated if it contains an expression. */
export function scalarValue(node: Node, scope: Scope): Value {
  if (node.kind !== 'scalar') return valueFromNode(node)
  return hasExpression(node.text) ? evaluateTemplate(node.text, scope) : valueFrom(node.value)
}

/** The secrets that a caller passes: all that it has, or names of its secrets by names of the called workflow. */
export type PassedSecrets = 'inherit' | Readonly<Record<string, string>>

const secretSyntax = /^\s*\$\{\{\s*secrets\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}\s*$/

/** Reads `secrets` of a calling job. @throws WorkflowFault when the called workflow does not declare them so */
export function resolveSecrets({ secrets }: CallSpec, node: Node | undefined): PassedSecrets {
  if (node?.kind === 'scalar' && node.text === 'inherit') return 'inherit'
  const entries = node ? [...dict(node, '"secrets"').entries] : []
  const passed = entries.map(([name, value]) => {
    const [, source = ''] = (value.kind === 'scalar' && secretSyntax.exec(value.text)) || []
    if (source === '') return fail(`secret ${quote(name)} must be written as \${{ secrets.NAME }}`)
    if (!secrets.has(name.toUpperCase()))
      return fail(`the called workflow does not declare the secret ${quote(name)}`)
    return [name.toUpperCase(), source.toUpperCase()] as const
  })
  const names = new Set(passed.map(([name]) => name))
  for (const [name, isRequired] of secrets)
    if (isRequired && !names.has(name))
      fail(`secret ${quote(name)} is required, and the caller does not pass it`)
  return Object.fromEntries(passed)
}
