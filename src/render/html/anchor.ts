/** An anchor name, as Markdown and Org make it: letters, digits, `_` and `-` in lower case, white space as `-`, the rest dropped. */
export function cleanId(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/\s/gu, '-')
    .replace(/[^\p{L}\p{N}_-]/gu, '')
}
