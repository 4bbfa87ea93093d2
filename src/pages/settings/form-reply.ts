import * as v from 'valibot'
import { formName } from '../../forge/protocol/property-name.ts'
import { Problem } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { textAs } from '../../http/route/sends.ts'
import type { Schema } from '../../http/route/validate.ts'
import { htmlType } from '../profile.ts'
import { person } from './person.ts'

/** A form as it was sent, or the sentences about its fields; one about the whole form has the name ''. */
export type Texts = Readonly<Record<string, string>>

/** What a page of forms shows: a form that was sent and its faults, or that something is done. */
export interface Outcome {
  values: Texts
  faults: Texts
  isDone: boolean
}

/** The declaration of a page of one's settings. */
export const shown = {
  access: person,
  query: { done: v.optional(v.unknown()) },
  returns: textAs(200, htmlType),
} as const

/** The declaration of its forms. */
export const sent = {
  access: person,
  body: v.record(v.string(), v.string()),
  alwaysValid: true,
  returns: textAs(303, htmlType),
  also: [422],
} as const

/** The page as it is asked for. */
export const outcomeOf = (query: { done?: unknown }): Outcome => ({
  values: {},
  faults: {},
  isDone: query.done !== undefined,
})

/** Leads to `location` when a form is done; otherwise the page again, as `show` makes it of what was sent. */
export async function replyTo(
  values: Texts,
  location: string,
  act: () => Promise<Texts | undefined>,
  show: (outcome: Outcome) => Promise<string> | string,
): Promise<string | ReplyWith<string>> {
  const faults = await act()
  if (faults) return new ReplyWith(await show({ values, faults, isDone: false }), { status: 422 })
  return new ReplyWith('', { status: 303, headers: { Location: location } })
}

/** Statuses of changes that the input is at fault for, or what has become of its target. */
const faulty = [400, 403, 404, 409, 422]

/** The fault of a change as that of a field ('': of the whole form). @throws what is no fault of the input */
export async function besides(name: string, change: Promise<unknown>): Promise<Texts | undefined> {
  try {
    await change
    return undefined
  } catch (error) {
    if (!(error instanceof Problem) || !faulty.includes(error.status)) throw error
    return { [name]: sentenceOf(error.message) }
  }
}

/** A message of the API as a sentence, without what it quotes at its end. */
function sentenceOf(message: string): string {
  if (message === 'not found') return 'It is no longer there.'
  const [sentence = ''] = message.split(' [', 1)
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`
}

const words: Readonly<Record<string, string>> = {
  Required: 'This must not be empty.',
  MaxSize: 'This is too long.',
  Url: 'This must be an address that begins with http:// or https://.',
}

/** The faults of texts by the schema of a body of the API; undefined: there are none. */
export function faultsOf(schema: Schema, texts: Texts): Texts | undefined {
  const parsed = v.safeParse(schema, texts)
  if (parsed.success) return undefined
  const faults = parsed.issues.map(({ message }) => {
    const [, property = '', word = ''] = /^\[(\w+)\]: (\w+)/.exec(message) ?? []
    return [formName(property), words[word] ?? message]
  })
  return Object.fromEntries(faults)
}

/** The row that a form is about; 0 for a text that is the id of none. */
export function idIn({ id = '' }: Texts): number {
  const number = Number(id)
  return Number.isSafeInteger(number) ? number : 0
}
