import { type Faults, field } from '../form.ts'
import { type Html, html } from '../html.ts'
import { type FormState, sentField } from './form-reply.ts'
import type { Person } from './person.ts'

/** The fault of a password, or of a password and a code; it does not say which one is wrong. */
export const wrongProof = ({ me }: Person): Faults => ({
  current: me.has_totp ? 'The password or the code is wrong.' : 'This is not your password.',
})

/** The fields that prove who sends a form: the password, and the code if the account needs one. */
export function proofFields({ me }: Person, state: FormState): Html {
  return html`${field({ label: 'Your password', type: 'password', autocomplete: 'current-password', ...sentField(state, 'current') })}
${me.has_totp ? field({ label: 'One-time code', autocomplete: 'one-time-code', hint: 'From your app, or a recovery code.', ...sentField(state, 'code') }) : undefined}`
}
