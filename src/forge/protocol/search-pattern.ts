/** A search term as the database is asked for it. */
export interface SearchPattern {
  /** Pattern of LIKE (with `escape ''`), in lower case. */
  readonly pattern: string
  /** Whether three characters stand in a row: then an index of runs of three finds it (`forge.accounts_like`). */
  readonly hasTrigram: boolean
}

/** A search term in which no character is a wildcard: `pattern` finds too much, and what holds `text` is meant. */
export interface LiteralSearchPattern extends SearchPattern {
  /** In lower case. */
  readonly text: string
}

/**
 * Reads a search term: it may stand anywhere in a text, in any case. `%` and `_` are wildcards, as they are for the
 * clients that send them; a term that starts or ends with `%` says itself where it stands. Undefined for a term that
 * every text matches.
 */
export function searchPattern(term: string): SearchPattern | undefined {
  const wanted = lowered(term)
  if (/^%*$/.test(wanted)) return undefined
  const pattern = wanted.startsWith('%') || wanted.endsWith('%') ? wanted : `%${wanted}%`
  return { pattern, hasTrigram: hasTrigram(pattern) }
}

/** Reads a search term, each character of which stands for itself. Undefined for an empty one. */
export function literalSearchPattern(term: string): LiteralSearchPattern | undefined {
  const text = lowered(term)
  // Patterns have no escape character (0002_forge.sql); "any character" finds what the wildcards stand for, and more.
  const pattern = `%${text.replace(/[%_]/g, '_')}%`
  return text === '' ? undefined : { text, pattern, hasTrigram: hasTrigram(pattern) }
}

/** As the database does it under collation "C": letters beyond ASCII stay as they are, there and so here. */
function lowered(term: string): string {
  return askable(term.trim()).replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function hasTrigram(pattern: string): boolean {
  return pattern.split(/[%_]/).some((run) => [...run].length >= 3)
}

/**
 * The text as the database can be asked for it: a NUL is in no stored text, and it cannot be asked for one, so that it
 * becomes a character that is in none either.
 */
export function askable(text: string): string {
  return text.replaceAll('\0', '\ufffe')
}
