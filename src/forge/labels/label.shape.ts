import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import type { StoredLabel } from './label-store.ts'

/** Gitea's Label, with its members in the order in which they are sent. */
export const Label = shape('Label', {
  id: int,
  name: v.string(),
  exclusive: v.boolean(),
  exclusive_order: int,
  is_archived: v.boolean(),
  color: described(v.string(), 'Six lower-case hexadecimal digits, without `#`'),
  description: v.string(),
  url: described(v.string(), 'Address in this API'),
})
export type Label = v.InferOutput<typeof Label>

/** The owner of the labels; for labels of a repository, the repository and its owner. */
interface LabelView {
  owner: { name: string }
  repo?: { name: string }
  host: string
}

/** A label of the repository or, if it is one of its owner, of that organization. */
export function printLabel(label: StoredLabel, { owner, repo, host }: LabelView): Label {
  const { id, name, exclusive, exclusive_order, is_archived, color, description, is_of_organization } = label
  const place = is_of_organization || !repo ? `orgs/${owner.name}` : `repos/${owner.name}/${repo.name}`
  const url = `${host}api/v1/${place}/labels/${id}`
  return { id, name, exclusive, exclusive_order, is_archived, color, description, url }
}
