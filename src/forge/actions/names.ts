import { badRequest, found } from '../../http/route/problem.ts'

/** Maximum length of names and of stored descriptions, in characters. */
const NAME_MAX = 255
const DESCRIPTION_MAX = 4096

/**
 * The stored form of a secret's or variable's name: upper case; undefined: the name is invalid. Names that start with
 * `GITEA_` or `GITHUB_`, and `CI`, are reserved: runners set them.
 */
function actionName(text: string): string | undefined {
  const name = text.toUpperCase()
  const isReserved = name === 'CI' || /^GIT(?:EA|HUB)_/.test(name)
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) && name.length <= NAME_MAX && !isReserved ? name : undefined
}

/** The stored form of a new name. @throws Problem 400 */
export function validName(text: string): string {
  const name = actionName(text)
  if (name === undefined) throw badRequest('invalid variable or secret name')
  return name
}

/** The stored form of the name of something stored; an invalid name matches nothing. @throws Problem 404 */
export const nameIn = (text: string): string => found(actionName(text))

/** A description cut to the maximum length, without splitting surrogate pairs. */
export function cutDescription(text: string | undefined): string | undefined {
  return text === undefined || text.length <= DESCRIPTION_MAX
    ? text
    : [...text].slice(0, DESCRIPTION_MAX).join('')
}
