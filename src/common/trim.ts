/**
 * The text without trailing characters of `marks`. A pattern such as `/=+$/` takes quadratic time for a text with a
 * long run of them elsewhere.
 */
export function trimEnd(text: string, marks: string): string {
  let end = text.length
  while (end > 0 && marks.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** The text without leading characters of `marks`. */
export function trimStart(text: string, marks: string): string {
  let start = 0
  while (start < text.length && marks.includes(text.charAt(start))) start++
  return text.slice(start)
}
