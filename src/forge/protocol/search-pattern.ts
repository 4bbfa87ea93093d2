/** A search term in the form that the database needs. */
export interface SearchPattern {
  /** A LIKE pattern (with `escape ''`), in lower case. */
  readonly pattern: string
  /** Whether it has three literal characters in a row: then the trigram index can serve it (`forge.accounts_like`). */
  readonly hasTrigram: boolean
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
  const wanted = lowered(term)
  if (/^%*$/.test(wanted)) return undefined
  const pattern = wanted.startsWith('%') || wanted.endsWith('%') ? wanted : `%${wanted}%`
  return { pattern, hasTrigram: hasTrigram(pattern) }
}

/** Parses a search term without wildcards. Undefined for an empty one. */
export function literalSearchPattern(term: string): LiteralSearchPattern | undefined {
  const text = lowered(term)
  // Patterns have no escape character (0002_forge.sql), so wildcard characters become "any character", which matches
  // them and more.
  const pattern = `%${text.replace(/[%_]/g, '_')}%`
  return text === '' ? undefined : { text, pattern, hasTrigram: hasTrigram(pattern) }
}

/** Lower-cases like the database under collation "C": only ASCII letters change. */
function lowered(term: string): string {
  return askable(term.trim()).replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function hasTrigram(pattern: string): boolean {
  return pattern.split(/[%_]/).some((run) => [...run].length >= 3)
}

/**
 * Cleans a text for use as a parameter. The database does not accept NUL, so it becomes a character that no stored text
 * contains either.
 */
export function askable(text: string): string {
  return text.replaceAll('\0', '\ufffe')
}
