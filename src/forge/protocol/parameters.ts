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

/**
 * An integer as programs write it: decimal, `0x`, `0b`, `0o`, or octal by a leading zero; undefined for any other text
 * and for 0, which is nobody's id. Beyond the range that JavaScript counts exactly it is -1, nobody's id either.
 */
export function integerLiteral(text: string): number | undefined {
  const [, sign, digits] = /^([+-]?)(0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|[1-9]\d*)$/.exec(text) ?? []
  if (digits === undefined) return undefined
  const number = Number(digits.replace(/^0(?=[0-7]+$)/, '0o'))
  if (!Number.isSafeInteger(number)) return -1
  return number === 0 ? undefined : sign === '-' ? -number : number
}
