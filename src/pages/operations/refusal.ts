import { done, failed, type Outcome } from '../../common/outcome.ts'
import { Outdated, Problem } from '../../http/route/problem.ts'
import { ruleSentences } from '../form.ts'

/** Why an operation has changed nothing, for the page of the form. */
export interface Refusal {
  /** The field that is at fault; absent: none of them, or the message does not say which. */
  field?: string
  sentence: string
  /** Whether the caller may not do it. */
  isForbidden?: boolean
  /** Whether something that was sent is larger than the server takes. */
  isTooLarge?: boolean
}

/**
 * The fields of a form that a message of the API may be about, each with a pattern of such messages; or the one field
 * that every message is about.
 */
export type Blame = string | Readonly<Record<string, RegExp>>

/**
 * Waits for what a form asks for; the fault is why an operation has refused it. `explained` are the refusals that a page
 * explains beside its form.
 * @throws Problem any other
 */
export async function outcomeOf<Done>(
  work: Promise<Done>,
  blame: Blame,
  explained: readonly number[] = [400, 404, 409, 422],
): Promise<Outcome<Done, Refusal>> {
  try {
    return done(await work)
  } catch (error) {
    if (!(error instanceof Problem) || error instanceof Outdated || !explained.includes(error.status))
      throw error
    return failed({ ...refusalBy(error.message, blame), ...(error.status === 403 && { isForbidden: true }) })
  }
}

/** The API writes `[Property]: rule` where a member breaks a rule, else a sentence. */
function refusalBy(message: string, blame: Blame): Refusal {
  const [, property, rule = ''] = /^\[(\w+)\]: (.*)$/s.exec(message) ?? []
  const isAbout = ([name, pattern]: [string, RegExp]) =>
    property === undefined ? pattern.test(message) : plain(name) === plain(property)
  const field = typeof blame === 'string' ? blame : Object.entries(blame).find(isAbout)?.[0]
  const sentence = ruleSentences[rule || message] ?? explained(message.replace(/^\[\]: /, ''))
  return field === undefined ? { sentence } : { field, sentence }
}

/** Messages that clients compare, and what they say to who looks at a form. */
const explanations: readonly (readonly [message: RegExp, sentence: string])[] = [
  [/^(?:user|badge)(?: redirect)? does not exist \[\w+: \]$/, 'This must not be empty.'],
  [/^(?:name_pattern|both rule_name and branch_name) are empty$/, 'This must not be empty.'],
  [/^user(?: redirect)? does not exist \[/, 'There is nobody of this name whom you may see.'],
  [/^badge does not exist \[/, 'There is no badge of this name.'],
  [/^not found$/, 'There is nothing of this name or number that you may see.'],
  [/^there is no repository "/, 'There is no such repository: write owner/name.'],
  [/^user does not have access to the repository/, 'Whoever is named here must see the repository.'],
  [
    /^merge failed because of conflict: (.*)$/s,
    'Both sides have changed the same lines, in $1: merge them in a clone, and push what you have decided.',
  ],
  [/^review event REQUEST_CHANGES requires/, 'Say what should change.'],
  [/^review event COMMENT requires/, 'Write a comment, here or on a line.'],
  [
    /^Not allowed to push to protected branch/,
    'This branch is protected: write the name of a new one, and propose it then.',
  ],
]

/** The sentence for a message; `$1` in it is what the pattern has found in that. */
function explained(message: string): string {
  const [pattern, sentence = message] = explanations.find(([each]) => each.test(message)) ?? []
  return pattern ? sentence.replace('$1', () => pattern.exec(message)?.[1] ?? '') : message
}

const plain = (name: string) => name.replaceAll('_', '').toLowerCase()
