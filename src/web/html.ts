import { escapeHtml } from '../render/html/serialize.ts'

/** Markup that is complete in itself. */
export class Html {
  constructor(readonly text: string) {}
}

/** What may be inserted: text is escaped, markup is not, lists are concatenated, undefined is empty. */
export type Piece = Html | string | number | undefined | readonly Piece[]

/** Markup with inserted pieces, as content or as quoted attribute values. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(strings.map((text, index) => text + textOf(pieces[index])).join(''))
}

function textOf(piece: Piece): string {
  if (piece === undefined) return ''
  if (piece instanceof Html) return piece.text
  if (typeof piece === 'object') return piece.map(textOf).join('')
  return escapeHtml(String(piece))
}
