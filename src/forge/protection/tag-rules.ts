import { compileGlob, type Matcher } from '../../common/glob.ts'
import { compileRegularExpression } from '../../common/regular-expression.ts'

/** A rule of protected tags, and whether its list names an account or a team of the account. */
export interface TagRule {
  name_pattern: string
  is_listed: boolean
}

/** Matches tags: a pattern between slashes is a regular expression, any other a glob. Undefined: it is malformed. */
export function tagMatcherOf(pattern: string): Matcher | undefined {
  const expression = /^\/(.*)\/$/s.exec(pattern)?.[1]
  return expression === undefined ? compileGlob(pattern) : compileRegularExpression(expression)
}

/** Whether the account of these rules may change a tag: a matching rule lists the account, or no rule matches. */
export function isTagAllowed(rules: readonly TagRule[], tag: string): boolean {
  const matching = rules.filter(({ name_pattern }) => tagMatcherOf(name_pattern)?.(tag) ?? false)
  return matching.length === 0 || matching.some(({ is_listed }) => is_listed)
}
