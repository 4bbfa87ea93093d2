import { type Fields, field } from '../form.ts'
import { type Html, html } from '../html.ts'
import { fieldsOf } from '../operations/fields.ts'
import type { Refusal } from '../operations/refusal.ts'

/** The fields about the commit that a form makes; `prefix` begins their ids, where a page has two such forms. */
export function commitFields(prefix: string, values: Fields = {}, refusal?: Refusal): Html {
  const fieldOf = (name: string) => ({ ...fieldsOf(values, refusal)(name), id: prefix + name })
  return html`${field({ ...fieldOf('message'), label: 'Message of the commit', isOptional: true, hint: 'Empty: what changed' })}
${field({ ...fieldOf('new_branch'), label: 'New branch', isOptional: true, hint: 'Empty: the commit goes to the branch itself. A new branch can be proposed then.' })}`
}
