import { compileGlob, type Matcher } from '../../glob.ts'
import { compileRegularExpression } from '../../regular-expression.ts'

/** A rule of protected tags, and whether an account is on its list, by itself or by a team. */
export interface TagRule {
  name_pattern: string
  is_listed: boolean
}

/** Which tags a pattern names: between slashes a regular expression, otherwise a glob. Undefined: it is malformed. */
export function tagMatcherOf(pattern: string): Matcher | undefined {
  const expression = /^\/(.*)\/$/s.exec(pattern)?.[1]
  return expression === undefined ? compileGlob(pattern) : compileRegularExpression(expression)
}

/** Whether the account of these rules may create, move and delete a tag: one of those that match lists it, or none does. */
export function isTagAllowed(rules: readonly TagRule[], tag: string): boolean {
  const matching = rules.filter(({ name_pattern }) => tagMatcherOf(name_pattern)?.(tag) ?? false)
  return matching.length === 0 || matching.some(({ is_listed }) => is_listed)
}
