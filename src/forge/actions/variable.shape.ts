import * as v from 'valibot'
import type { StoredVariable } from '../../actions/secrets/variable-store.ts'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'

/** A variable as the API prints it. */
export const ActionVariable = shape('ActionVariable', {
  owner_id: described(int, 'Id of the user or organization; 0: it belongs to a repository or to the site'),
  repo_id: described(int, '0: it does not belong to a repository'),
  name: v.string(),
  data: described(v.string(), 'The value'),
  description: v.string(),
})
export type ActionVariable = v.InferOutput<typeof ActionVariable>

export function printVariable(variable: StoredVariable): ActionVariable {
  return {
    owner_id: variable.owner_id ?? 0,
    repo_id: variable.repository_id ?? 0,
    name: variable.name,
    data: variable.value,
    description: variable.description,
  }
}
