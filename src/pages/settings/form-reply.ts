import * as v from 'valibot'
import { done, failed, type Outcome } from '../../common/outcome.ts'
import { formName } from '../../forge/protocol/property-name.ts'
import { Problem } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import type { HandlerBase } from '../../http/route/route.ts'
import { textAs } from '../../http/route/sends.ts'
import type { Schema } from '../../http/route/validate.ts'
import { type Faults, type Fields, ruleSentences } from '../form.ts'
import { formReply, htmlType } from '../profile.ts'
import type { PageTools } from '../route.ts'
import { type Person, person } from './person.ts'

/** What the operations of settings need of a request. */
export type SettingsContext = HandlerBase<PageTools> & { caller: Person }

/** What a page of forms shows: a form that was sent and its faults, or that something is done. */
export interface FormState {
  values: Fields
  /** The fault of the whole form has the name ''. */
  faults: Faults
  isDone: boolean
}

/** A form that was not sent. */
export const untouched: FormState = { values: {}, faults: {}, isDone: false }

/** The declaration of a page of one's settings. */
export const shown = {
  access: person,
  query: { done: v.optional(v.unknown()) },
  returns: textAs(200, htmlType),
} as const

/** The declaration of its forms. */
export const sent = { ...formReply, access: person, also: [422] } as const

/** The page without a form that was sent, which says that something is done if the query has `done`. */
export const stateOf = ({ done }: { done?: unknown }): FormState => ({
  ...untouched,
  isDone: done !== undefined,
})

/** The value, fault and focus of a field of the form that was sent; `initial` where none was. */
export function sentField({ values, faults }: FormState, name: string, initial = '') {
  const isFirst = Object.keys(faults)[0] === name
  return { name, value: values[name] ?? initial, fault: faults[name], hasFocus: isFirst }
}

/** The state of one of several forms of a page; another one may have been sent. */
export const ofForm = (state: FormState, action: string): FormState =>
  state.values.action === action ? state : untouched

/** What became of a change: whether it is done, or a page that can be shown only now. */
export type Change = Outcome<unknown, Faults> | { readonly page: string }

interface FormReply {
  /** The path of the page, without a slash at its start. */
  section: string
  change: (context: SettingsContext, fields: Fields) => Promise<Change>
  /** The page with the form as it was sent. */
  show: (context: SettingsContext, state: FormState) => Promise<string> | string
}

/** Makes the change that a form asks for; leads to the section (303), or answers with a page (200, 422). */
export async function replyTo(
  context: SettingsContext,
  fields: Fields,
  { section, change, show }: FormReply,
): Promise<ReplyWith<string>> {
  const changed = await change(context, fields)
  if ('page' in changed) return new ReplyWith(changed.page, { status: 200 })
  if (changed.ok)
    return new ReplyWith('', { status: 303, headers: { Location: `${context.from.host}${section}?done=1` } })
  const page = await show(context, { values: fields, faults: changed.fault, isDone: false })
  return new ReplyWith(page, { status: 422 })
}

/** Statuses of failures whose cause is the input, or a change of its target. */
const faulty = [400, 403, 404, 409, 422]

/** Waits for a change; the fault is that of a field ('': of the whole form). @throws any other failure */
export async function besides<Done>(name: string, change: Promise<Done>): Promise<Outcome<Done, Faults>> {
  try {
    return done(await change)
  } catch (error) {
    if (!(error instanceof Problem) || !faulty.includes(error.status)) throw error
    return failed({ [name]: sentenceOf(error.message) })
  }
}

/** A message of the API as a sentence, without what it quotes at its end. */
function sentenceOf(message: string): string {
  if (message === 'not found') return 'It is no longer there.'
  const [sentence = ''] = message.split(' [', 1)
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`
}

/** The faults of fields by the schema of a body of the API; undefined: there are none. */
export function faultsOf(schema: Schema, fields: Fields): Faults | undefined {
  const parsed = v.safeParse(schema, fields)
  if (parsed.success) return undefined
  const faults = parsed.issues.map(({ message }) => {
    const [, property = '', rule = ''] = /^\[(\w+)\]: (\w+)/.exec(message) ?? []
    return [formName(property), ruleSentences[rule] ?? message]
  })
  return Object.fromEntries(faults)
}

/** The row that a form is about; 0 for a text that is the id of none. */
export function idIn({ id = '' }: Fields): number {
  const number = Number(id)
  return Number.isSafeInteger(number) ? number : 0
}
