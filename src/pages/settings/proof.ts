import { field } from '../form.ts'
import { type Html, html } from '../html.ts'
import type { Outcome, Texts } from './form-reply.ts'
import type { Person } from './person.ts'
import { sentField } from './settings-page.ts'

/** The fault of a password, or of one of password and code: which one is wrong is not told. */
export const wrongProof = ({ me }: Person): Texts => ({
  current: me.has_totp ? 'The password or the code is wrong.' : 'This is not your password.',
})

/** The fields that prove who sends a form: the password, and the code if the account needs one. */
export function proofFields({ me }: Person, outcome: Outcome): Html {
  return html`${field({ label: 'Your password', type: 'password', autocomplete: 'current-password', ...sentField(outcome, 'current') })}
${me.has_totp ? field({ label: 'One-time code', autocomplete: 'one-time-code', hint: 'From your app, or a recovery code.', ...sentField(outcome, 'code') }) : undefined}`
}
