/** Characters that control a terminal, end a line, or change the direction of others. */
const controls = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Maximum length of a text from outside within one line. */
const maxLength = 2000

/** A text from outside as one line without control characters. */
export function printable(text: string): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  return cut.replace(controls, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}
