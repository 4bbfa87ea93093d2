import { ReplyWith } from '../../http/route/results.ts'
import { textAs } from '../../http/route/sends.ts'
import { type Blame, outcomeOf, type Refusal } from '../operations/refusal.ts'
import { formReply, htmlType } from '../profile.ts'
import { type Administrator, adminAddress, administrator, administratorOn } from './administrator.ts'

/** The declaration of a page of administrators. */
export const adminReply = { access: administrator, returns: textAs(200, htmlType) } as const
/** The same, about an account. */
export const accountReply = { ...adminReply, access: administratorOn } as const

/** The declaration of a form of administrators, which leads to a page, or is shown again with what was refused (422). */
export const adminForm = { ...formReply, access: administrator, also: [422] } as const
/** The same, about an account. */
export const accountForm = { ...adminForm, access: administratorOn } as const

interface FormReply<Done> {
  /** The page that says what was done, as a path of the administration. */
  path: string | ((done: Done) => string)
  /** Which field a refusal is about. */
  blame?: Blame
  /** The page of the form with the refusal. */
  again: (refusal: Refusal) => string | Promise<string>
}

/** Waits for what a form asks for; leads to the page that says what was done, or shows the form again (422). */
export async function replyTo<Done>(
  caller: Pick<Administrator, 'request'>,
  work: Promise<Done>,
  { path, blame = {}, again }: FormReply<Done>,
): Promise<ReplyWith<string>> {
  const outcome = await outcomeOf(work, blame)
  if (!outcome.ok) return new ReplyWith(await again(outcome.fault), { status: 422 })
  return leadTo(caller, typeof path === 'string' ? path : path(outcome.value))
}

/** 303 to the page at a path of the administration. */
export const leadTo = (caller: Pick<Administrator, 'request'>, path: string) =>
  new ReplyWith('', { status: 303, headers: { Location: adminAddress(caller, path) } })
