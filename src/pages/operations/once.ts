import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Tx } from '../../db/sql.ts'
import type { SignedIn } from '../../forge/auth/access.ts'
import { maxRunning, whileMarked } from '../../http/idempotency/idempotency.ts'
import { unavailable } from '../../http/route/problem.ts'
import type { RequestContext } from '../../http/route/route.ts'
import {
  type FormOutcome,
  lockForm,
  markForm,
  storeFormOutcome,
  unmarkForm,
} from '../../site/sent-form-store.ts'
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

/** How long a second sending of a form waits for the first one, and how often it looks, in milliseconds. */
const waiting = { longest: 30_000, pause: 100 }

/**
 * Like `once`, for work that runs git, so that it must not hold a transaction: a second sending waits without a connection.
 * @throws Problem 503 the first sending takes too long
 */
export async function onceMarked(
  { begin, clock }: Pick<RequestContext<unknown>, 'begin' | 'clock'>,
  form: SentForm,
  act: () => Promise<FormOutcome>,
): Promise<FormOutcome> {
  const digest = digestOf(form)
  for (let waited = 0; waited < waiting.longest; waited += waiting.pause) {
    const since = new Date(clock().getTime() - maxRunning)
    const state = await begin((tx) => markForm(tx, digest, since))
    if (state === 'marked')
      return whileMarked(act, {
        store: (outcome) => begin((tx) => storeFormOutcome(tx, digest, outcome)),
        release: () => begin((tx) => unmarkForm(tx, digest)),
      })
    if (state !== 'running') return state
    await pause(waiting.pause)
  }
  throw unavailable('the form is still being processed', 'a form was sent again while its first sending runs')
}

/** `form_token` is left out: after another sign-in it is a new one for the same form. */
function digestOf({ caller, address, fields: { form_token, ...written } }: SentForm): Buffer {
  const pairs = Object.entries(written).sort(([a], [b]) => (a < b ? -1 : 1))
  const about = address === undefined ? [] : [address]
  return createHash('sha256')
    .update(JSON.stringify([caller.me.id, pairs, ...about]))
    .digest()
}
