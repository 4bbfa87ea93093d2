import * as v from 'valibot'
import { ReplyWith } from '../../http/route/results.ts'
import { textAs } from '../../http/route/sends.ts'
import { htmlType } from '../profile.ts'
import { type Administrator, administrator, administratorOn } from './operation.ts'
import type { Refusal } from './refusal.ts'

/** A form as it was sent. */
export type Fields = Readonly<Record<string, string>>

const sent = {
  body: v.record(v.string(), v.string()),
  alwaysValid: true,
  returns: textAs(303, htmlType),
} as const

/** The declaration of a page of administrators. */
export const adminReply = { access: administrator, returns: textAs(200, htmlType) } as const
/** The same, about an account. */
export const accountReply = { ...adminReply, access: administratorOn } as const

/** The declaration of a form of administrators: it leads to a page, or comes again with what is refused (422). */
export const adminForm = { ...sent, access: administrator, also: [422] } as const
/** The same, about an account. */
export const accountForm = { ...adminForm, access: administratorOn } as const

/** What follows a form: the page at a path of the administration, which says what was done, or the form again. */
export async function outcomeOf(
  { request }: Pick<Administrator, 'request'>,
  refusal: Refusal | undefined,
  path: string,
  again: (refusal: Refusal) => string | Promise<string>,
): Promise<ReplyWith<string>> {
  if (refusal) return new ReplyWith(await again(refusal), { status: 422 })
  return new ReplyWith('', { status: 303, headers: { Location: `${request.from.host}-/admin/${path}` } })
}
