import { type Html, html } from '../html.ts'
import type { Refusal } from './refusal.ts'

/**
 * Gives the fields of a form by their names, with what was written into them and the fault of one of them, which has the
 * focus; `first` has it where nothing was refused.
 */
export const fieldsOf =
  (values: Readonly<Record<string, string | undefined>>, refusal?: Refusal, first?: string) =>
  (name: string) => {
    const fault = refusal?.field === name ? refusal.sentence : undefined
    const hasFocus = refusal ? fault !== undefined : name === first
    return { name, value: values[name], fault, hasFocus, autocomplete: 'off' }
  }

/** The result of a form. It has the focus unless a field is at fault. */
export function noticeOf(done: string | undefined, refusal: Refusal | undefined): Html | undefined {
  if (refusal?.field !== undefined)
    return html`<p class="notice bad" role="alert">Nothing was changed. See the field that is marked.</p>`
  if (refusal)
    return html`<p class="notice bad" role="alert" tabindex="-1" autofocus>Nothing was changed: ${refusal.sentence}</p>`
  return done === undefined
    ? undefined
    : html`<p class="notice" role="status" tabindex="-1" autofocus>${done}</p>`
}
