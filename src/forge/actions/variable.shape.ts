import * as v from 'valibot'
import type { StoredVariable } from '../../actions/secrets/variable-store.ts'
import { shape } from '../../http/route/validate.ts'
import { int } from '../../http/route/values.ts'
import { option, text } from '../protocol/fields.ts'
import { required } from '../protocol/rules.ts'

/** A variable as the API prints it. */
export const ActionVariable = shape('ActionVariable', {
  /** 0 if the variable belongs to a repository or to the site. */
  owner_id: int,
  repo_id: int,
  name: v.string(),
  data: v.string(),
  description: v.string(),
})
export type ActionVariable = v.InferOutput<typeof ActionVariable>

export const CreateVariableOption = option('CreateVariableOption', {
  value: text(required),
  description: text(),
})

/** `name` renames the variable; an absent description clears the stored one. */
export const UpdateVariableOption = option('UpdateVariableOption', {
  name: text(),
  value: text(required),
  description: text(),
})

export function printVariable(variable: StoredVariable): ActionVariable {
  return {
    owner_id: variable.owner_id ?? 0,
    repo_id: variable.repository_id ?? 0,
    name: variable.name,
    data: variable.value,
    description: variable.description,
  }
}
