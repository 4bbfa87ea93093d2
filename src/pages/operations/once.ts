import { createHash, randomUUID } from 'node:crypto'
import type { Tx } from '../../db/sql.ts'
import type { SignedIn } from '../../forge/auth/access.ts'
import { type FormOutcome, lockForm, storeFormOutcome } from '../../site/sent-form-store.ts'
import type { Fields } from '../form.ts'

// A form that is sent twice is done once.

/** The hidden field that tells a form from the same form of another page. */
export const newFormId = () => ({ form_id: randomUUID() })

/** A form as it was sent, and its sender. */
interface SentForm {
  caller: Pick<SignedIn, 'me'>
  fields: Fields
  /** The address that it was sent to, where that says what it is about. */
  address?: string
}

/** Whether the server gave the form an id. */
export const hasFormId = ({ form_id }: Fields): boolean => /^[\w-]{1,100}$/.test(form_id ?? '')

/**
 * Does what a form asks for, in this transaction, or gives where it led if it was done before. A form with the same id
 * and another text is another form: browsers keep the id when somebody goes back to the form and changes the text.
 */
export async function once(tx: Tx, form: SentForm, act: () => Promise<FormOutcome>): Promise<FormOutcome> {
  const digest = digestOf(form)
  const earlier = await lockForm(tx, digest)
  if (earlier) return earlier
  const outcome = await act()
  await storeFormOutcome(tx, digest, outcome)
  return outcome
}

/** `form_token` is left out: after another sign-in it is a new one for the same form. */
function digestOf({ caller, address, fields: { form_token, ...written } }: SentForm): Buffer {
  const pairs = Object.entries(written).sort(([a], [b]) => (a < b ? -1 : 1))
  const about = address === undefined ? [] : [address]
  return createHash('sha256')
    .update(JSON.stringify([caller.me.id, pairs, ...about]))
    .digest()
}
