import type { Fragment, Sql } from '../../db/sql.ts'
import { letterClasses } from './letter-classes.ts'

/** A search term in the form that the database needs. */
export interface SearchPattern {
  /** A LIKE pattern (with `escape ''`), in lower case. */
  readonly pattern: string
  /** Whether it has three literal characters in a row: then the trigram index can serve it (`forge.accounts_like`). */
  readonly hasTrigram: boolean
  /** Whether it has letters beyond ASCII: then it is compared with `forge.fold` of a text, otherwise with `lower`. */
  readonly isFolded: boolean
}

/** A search term without wildcards. `pattern` matches too much; only rows that contain `text` are meant. */
export interface LiteralSearchPattern extends SearchPattern {
  /** In lower case. */
  readonly text: string
}

/**
 * Parses a search term: it may occur anywhere in a text, in any case. `%` and `_` are wildcards, since clients send
 * them as such; a term that starts or ends with `%` is anchored by its sender. Undefined for a term that matches every
 * text.
 */
export function searchPattern(term: string): SearchPattern | undefined {
  const text = folded(term)
  if (/^%*$/.test(text)) return undefined
  const pattern = text.startsWith('%') || text.endsWith('%') ? text : `%${text}%`
  return { pattern, hasTrigram: hasTrigram(pattern), isFolded: isFolded(pattern) }
}

/** Parses a search term without wildcards. Undefined for an empty one. */
export function literalSearchPattern(term: string): LiteralSearchPattern | undefined {
  const text = folded(term)
  // Patterns have no escape character (0002_forge.sql), so wildcard characters become "any character", which matches
  // them and more.
  const pattern = `%${text.replace(/[%_]/g, '_')}%`
  return text === ''
    ? undefined
    : { text, pattern, hasTrigram: hasTrigram(pattern), isFolded: isFolded(pattern) }
}

/** Folds a term as `forge.fold` folds texts (0002_forge.sql); ASCII letters as `lower` under collation "C". */
function folded(term: string): string {
  return withoutNul(term.trim()).normalize('NFC').toLowerCase().replaceAll('ς', 'σ')
}

const isFolded = (text: string) => /[^\x01-\x7f]/.test(text)

/** A text of the database as it is compared with a pattern. */
export const comparable = (sql: Sql, { isFolded }: SearchPattern, text: Fragment): Fragment =>
  isFolded ? sql`forge.fold(${text})` : sql`lower(${text} collate "C")`

/** Whether a text of the database has a pattern. */
export const matches = (sql: Sql, { pattern, isFolded }: SearchPattern, text: Fragment): Fragment =>
  isFolded
    ? sql`forge.text_like(${text}, ${pattern}, ${letterClasses(pattern)})`
    : sql`lower(${text} collate "C") like ${pattern} escape ''`

function hasTrigram(pattern: string): boolean {
  return pattern.split(/[%_]/).some((run) => [...run].length >= 3)
}

/** A text for a query. The database accepts no NUL, so it becomes a character that no stored text contains either. */
export function withoutNul(text: string): string {
  return text.replaceAll('\0', '\ufffe')
}
