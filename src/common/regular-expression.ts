import { RE2JS, RE2JSException } from 're2js'

/** Whether a text matches. */
export type Matcher = (text: string) => boolean

/**
 * Compiles a regular expression of users in the syntax of RE2, which matches anywhere in a text; undefined if it is
 * malformed or too large. `.` matches every character. A match takes time in proportion to expression times text, while
 * a regular expression of JavaScript could take exponential time.
 */
export function compileRegularExpression(pattern: string): Matcher | undefined {
  try {
    const expression = RE2JS.compile(pattern, RE2JS.DOTALL)
    return (text) => expression.test(text)
  } catch (error) {
    if (error instanceof RE2JSException) return undefined
    throw error
  }
}

/** A regular expression of exactly these characters; each of them may also stand in a class. */
export const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|-]/g, '\\$&')
