import { badRequest } from '../../http/route/problem.ts'
import { accept, type Outcome, refuse } from '../protocol/outcome.ts'

/** The sentence (400) for a name that no secret and no variable can have. */
const INVALID = 'invalid variable or secret name'

/** The longest name, and the longest description that is kept, in characters. */
const LONGEST_NAME = 255
const LONGEST_DESCRIPTION = 4096

/**
 * A name of a secret or a variable as it is stored: in upper case. Names that start with `GITEA_` or `GITHUB_`, and
 * `CI`, are what runners set themselves. The fault is the caller's sentence.
 */
export function actionName(text: string): Outcome<string, string> {
  const name = /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) ? text.toUpperCase() : ''
  const fits = name !== '' && name.length <= LONGEST_NAME && name !== 'CI' && !/^GIT(?:EA|HUB)_/.test(name)
  return fits ? accept(name) : refuse(INVALID)
}

/** The name as it is stored. @throws Problem 400 */
export function validName(text: string): string {
  const name = actionName(text)
  if (!name.ok) throw badRequest(name.fault)
  return name.value
}

/** What is kept of a description, without halves of surrogate pairs. */
export function cutDescription(text: string): string {
  return text.length <= LONGEST_DESCRIPTION ? text : [...text].slice(0, LONGEST_DESCRIPTION).join('')
}
