import * as v from 'valibot'
import type { Problem } from './problem.ts'

export type Schema = v.GenericSchema
export type Issues = readonly v.BaseIssue<unknown>[]

/** Schemas by name, and what they give. */
export type Entries = Readonly<Record<string, Schema>>
export type Outputs<Given extends Entries> = { [Name in keyof Given]: v.InferOutput<Given[Name]> }

/** What checking nothing gives. */
export const nothing = Object.freeze({})

/** Checks a record of strings against schemas by name; nothing to check costs nothing. */
export function checker<Given extends Entries>(entries: Given) {
  const schema = v.object(entries)
  const idle = Object.keys(entries).length === 0
  return (raw: unknown, refuse: (issues: Issues) => Problem): Outputs<Given> => {
    if (idle) return nothing as Outputs<Given>
    const checked = v.safeParse(schema, raw)
    if (!checked.success) throw refuse(checked.issues)
    return checked.output as Outputs<Given>
  }
}
