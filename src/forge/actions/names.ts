import { badRequest } from '../../http/route/problem.ts'
import { done, failed, type Outcome } from '../../outcome.ts'

/** The sentence (400) for an invalid name of a secret or variable. */
const INVALID = 'invalid variable or secret name'

/** Maximum length of names and of stored descriptions, in characters. */
const LONGEST_NAME = 255
const LONGEST_DESCRIPTION = 4096

/**
 * The stored form of a secret's or variable's name: upper case. Names that start with `GITEA_` or `GITHUB_`, and `CI`,
 * are reserved: runners set them. The fault is a sentence for the client.
 */
export function actionName(text: string): Outcome<string, string> {
  const name = /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) ? text.toUpperCase() : ''
  const isValid = name !== '' && name.length <= LONGEST_NAME && name !== 'CI' && !/^GIT(?:EA|HUB)_/.test(name)
  return isValid ? done(name) : failed(INVALID)
}

/** The stored form of a name. @throws Problem 400 */
export function validName(text: string): string {
  const name = actionName(text)
  if (!name.ok) throw badRequest(name.fault)
  return name.value
}

/** A description cut to the maximum length, without splitting surrogate pairs. */
export function cutDescription(text: string): string {
  return text.length <= LONGEST_DESCRIPTION ? text : [...text].slice(0, LONGEST_DESCRIPTION).join('')
}
