/** How queries and forms encode values. Nothing here is an error: unreadable values have a defined meaning. */

/** True for `1 t T true TRUE True` and `on` in any case; false for everything else. */
export function flag(text: string | undefined): boolean {
  return /^(?:1|t|T|true|TRUE|True|[oO][nN])$/.test(text ?? '')
}

/** A filter: undefined (no filter) when absent or empty, otherwise a flag, so `maybe` filters for false. */
export function filterFlag(text: string | undefined): boolean | undefined {
  return text ? flag(text) : undefined
}

/**
 * A decimal integer with an optional sign, `2.0` included; 0 for everything else, also beyond JavaScript's exact
 * integers.
 */
export function integer(text: string | undefined): number {
  const number = /^[+-]?\d+(?:\.0+)?$/.test(text ?? '') ? Number(text) : 0
  // Turns -0 into 0, which prints the same but is another value.
  return Number.isSafeInteger(number) ? number + 0 : 0
}

/**
 * An integer as programs write it: decimal, `0x`, `0b`, `0o`, or octal with a leading zero; undefined for any other
 * text and for 0, which is no valid id. Beyond JavaScript's exact integers it is -1, which is no valid id either.
 */
export function integerLiteral(text: string): number | undefined {
  const [, sign, digits] = /^([+-]?)(0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|[1-9]\d*)$/.exec(text) ?? []
  if (digits === undefined) return undefined
  const number = Number(digits.replace(/^0(?=[0-7]+$)/, '0o'))
  if (!Number.isSafeInteger(number)) return -1
  return number === 0 ? undefined : sign === '-' ? -number : number
}
