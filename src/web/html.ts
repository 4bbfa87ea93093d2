import { escapeHtml } from '../render/html/serialize.ts'

/** Markup that is complete in itself. */
export class Html {
  constructor(readonly text: string) {}
}

/** What may stand in markup: texts are escaped, markup is not, lists are put together, nothing stands for nothing. */
export type Piece = Html | string | number | undefined | readonly Piece[]

/** Markup with pieces in it, for content and for values of attributes in quotation marks. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(strings.map((text, at) => text + textOf(pieces[at])).join(''))
}

function textOf(piece: Piece): string {
  if (piece === undefined) return ''
  if (piece instanceof Html) return piece.text
  if (typeof piece === 'object') return piece.map(textOf).join('')
  return escapeHtml(String(piece))
}
