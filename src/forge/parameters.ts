/** How queries and forms spell values. Nothing here is ever an error: what cannot be read has a meaning of its own. */

/** True for `1 t T true TRUE True` and `on` in any case; everything else is false, garbage included. */
export function flag(text: string | undefined): boolean {
  return /^(?:1|t|T|true|TRUE|True|[oO][nN])$/.test(text ?? '')
}

/** A filter that is not there (undefined) when absent or empty, and a flag otherwise: `maybe` filters for false. */
export function filterFlag(text: string | undefined): boolean | undefined {
  return text ? flag(text) : undefined
}

/** A decimal integer with an optional sign; 0 for everything else, also beyond the range that JavaScript counts exactly. */
export function integer(text: string | undefined): number {
  const number = /^[+-]?\d+$/.test(text ?? '') ? Number(text) : 0
  // "-0" would print as 0 and be another value.
  return Number.isSafeInteger(number) ? number + 0 : 0
}
