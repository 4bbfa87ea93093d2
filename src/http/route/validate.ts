import * as v from 'valibot'
import type { Problem } from './problem.ts'

export type Schema = v.GenericSchema
export type Issues = readonly v.BaseIssue<unknown>[]

/** Schemas by name, and their output types. */
export type Entries = Readonly<Record<string, Schema>>
export type Outputs<Given extends Entries> = { [Name in keyof Given]: v.InferOutput<Given[Name]> }

/** The result of validating against no schemas. */
export const noValues = Object.freeze({})

/** Returns a function that checks a record of strings against schemas by name. */
export function checker<Given extends Entries>(entries: Given) {
  const schema = v.object(entries)
  const isEmpty = Object.keys(entries).length === 0
  return (raw: unknown, refuse: (issues: Issues) => Problem): Outputs<Given> => {
    if (isEmpty) return noValues as Outputs<Given>
    const checked = v.safeParse(schema, raw)
    if (!checked.success) throw refuse(checked.issues)
    return checked.output as Outputs<Given>
  }
}
