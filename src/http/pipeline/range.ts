/** A byte range: the first and the last byte, both inclusive, counted from 0. */
interface Span {
  first: number
  last: number
}

/**
 * The range that a `Range` header selects from content of `size` bytes (RFC 9110, section 14.1.2): one span; `whole` if
 * the header may be ignored (other units, several ranges, malformed); `unsatisfiable` if the span starts beyond the
 * end.
 */
export function rangeOf(header: string | undefined, size: number): Span | 'whole' | 'unsatisfiable' {
  const [, from, to] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header ?? '') ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return 'whole'
  if (from === '') {
    const count = Math.min(Number(to), size)
    return count === 0 ? 'unsatisfiable' : { first: size - count, last: size - 1 }
  }
  const [first, last] = [Number(from), to === '' ? size - 1 : Math.min(Number(to), size - 1)]
  if (to !== '' && Number(to) < first) return 'whole'
  return first >= size ? 'unsatisfiable' : { first, last }
}
