/** A search term as the database is asked for it. */
export interface Needle {
  /** Pattern of LIKE (with `escape ''`), in lower case. */
  readonly pattern: string
  /** Whether three characters stand in a row: then an index of runs of three finds it (`forge.accounts_like`). */
  readonly hasGrams: boolean
}

/**
 * Reads a search term: it may stand anywhere in a text, in any case. `%` and `_` are wildcards, as they are for the
 * clients that send them; a term that starts or ends with `%` says itself where it stands. Undefined for a term that
 * every text matches.
 */
export function needleOf(term: string): Needle | undefined {
  const wanted = askable(term.trim().toLowerCase())
  if (/^%*$/.test(wanted)) return undefined
  const pattern = wanted.startsWith('%') || wanted.endsWith('%') ? wanted : `%${wanted}%`
  return { pattern, hasGrams: pattern.split(/[%_]/).some((run) => [...run].length >= 3) }
}

/**
 * The text as the database can be asked for it: a NUL is in no stored text, and it cannot be asked for one, so that it
 * becomes a character that is in none either.
 */
export function askable(text: string): string {
  return text.replaceAll('\0', '\ufffe')
}
