import * as v from 'valibot'
import { badRequest, type Problem } from './problem.ts'

export type Schema = v.GenericSchema
export type Issues = readonly v.BaseIssue<unknown>[]

/** Schemas by name, and their output types. */
export type Entries = Readonly<Record<string, Schema>>
export type Outputs<Declared extends Entries> = { [Name in keyof Declared]: v.InferOutput<Declared[Name]> }

const names = new WeakMap<object, string>()

/** Gives a schema a name, under which the documents of an API contain it once. */
export function schemaNamed<Of extends Schema>(name: string, schema: Of): Of {
  names.set(schema, name)
  return schema
}

/** A named object with these members. */
export const shape = <const Members extends v.ObjectEntries>(name: string, members: Members) =>
  schemaNamed(name, v.object(members))

/** Undefined for a schema without a name, and for anything else. */
export const schemaName = (schema: object): string | undefined => names.get(schema)

/** The result of validating against no schemas. */
export const noValues = Object.freeze({})

/**
 * Returns a function that checks a record of strings against schemas by name. A request names few of the parameters of a
 * list, so what the others mean is computed once.
 */
export function checker<Declared extends Entries>(entries: Declared) {
  const schema = v.object(entries)
  const isEmpty = Object.keys(entries).length === 0
  const absent = v.safeParse(schema, {})
  // Requests share them.
  const defaults = absent.success ? Object.freeze(absent.output) : undefined
  for (const value of Object.values(defaults ?? {})) Object.freeze(value)
  return (raw: Readonly<Record<string, unknown>>, refuse: (issues: Issues) => Problem): Outputs<Declared> => {
    if (isEmpty) return noValues as Outputs<Declared>
    const output = defaults && withDefaults(entries, raw, defaults)
    if (output) return output as Outputs<Declared>
    const checked = v.safeParse(schema, raw)
    if (!checked.success) throw refuse(checked.issues)
    return checked.output as Outputs<Declared>
  }
}

/** Checks the parameters that are present; undefined if one is not valid. */
function withDefaults(
  entries: Entries,
  raw: Readonly<Record<string, unknown>>,
  defaults: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  let output: Record<string, unknown> | undefined
  for (const name in raw) {
    const entry = Object.hasOwn(entries, name) ? entries[name] : undefined
    if (!entry) continue
    const checked = v.safeParse(entry, raw[name])
    if (!checked.success) return undefined
    output ??= { ...defaults }
    output[name] = checked.output
  }
  return output ?? defaults
}

/**
 * Returns a function that checks a body; `invalid`: the message of the 400 instead of the error of the API. The pipeline
 * reads no body for a route that declares none.
 */
export function bodyChecker(schema: Schema = v.undefined(), invalid: string | undefined) {
  return (raw: unknown, refuse: (issues: Issues) => Problem): unknown => {
    const checked = v.safeParse(schema, raw)
    if (!checked.success) throw invalid === undefined ? refuse(checked.issues) : badRequest(invalid)
    return checked.output
  }
}
