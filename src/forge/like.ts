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
 * every text matches. A NUL is in no text, and the database cannot be asked for one: it becomes a character that is in
 * none either.
 */
export function needleOf(term: string): Needle | undefined {
  const wanted = term.trim().toLowerCase().replaceAll('\0', '\ufffe')
  if (/^%*$/.test(wanted)) return undefined
  const pattern = wanted.startsWith('%') || wanted.endsWith('%') ? wanted : `%${wanted}%`
  return { pattern, hasGrams: pattern.split(/[%_]/).some((run) => [...run].length >= 3) }
}
