/** The bytes of a text in base64 (RFC 4648 §4, with padding; ignores line breaks), or the position of the first fault. */
export function decodeBase64(text: string): Buffer | number {
  const fault = faultIn(text)
  return fault === undefined ? Buffer.from(text, 'base64') : fault
}

function faultIn(text: string): number | undefined {
  const other = text.search(/[^A-Za-z0-9+/\r\n]/)
  const end = other < 0 ? text.length : other
  const left = digitsBefore(text, end) % 4
  if (other < 0) return left === 0 ? undefined : end - left
  if (text[end] !== '=' || left < 2) return end
  let next = afterBreaks(text, end + 1)
  if (left === 2) {
    if (text[next] !== '=') return next
    next = afterBreaks(text, next + 1)
  }
  return next < text.length ? next : undefined
}

function digitsBefore(text: string, end: number): number {
  let breaks = 0
  for (const at of text.matchAll(/[\r\n]+/g)) if (at.index < end) breaks += at[0].length
  return end - breaks
}

function afterBreaks(text: string, from: number): number {
  let at = from
  while (text[at] === '\r' || text[at] === '\n') at++
  return at
}
