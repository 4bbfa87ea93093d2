import type { CompileContext, HtmlExtension, Token } from 'micromark-util-types'
import { openParagraph } from './breaks.ts'

/** A paragraph that chooses its direction by its text. */
export const paragraphWithDirection = '<p dir="auto">'

/** Characters of a quote before its first block that are read for it. */
const maxMarks = 1000

/**
 * Lets each paragraph, each outer list, and a list or quote at the beginning of a quote choose its direction by its
 * text. The compiler does so, since in the tree Markdown's elements look like those that the author wrote.
 */
export function directionHtml(): HtmlExtension {
  /** Lists and quotes around the current token, the innermost last. */
  const open: Token[] = []
  function enter(this: CompileContext, token: Token): string {
    while (open.length > 0 && (open.at(-1)?.end.offset ?? 0) <= token.start.offset) open.pop()
    const outer = token.type !== 'blockQuote' && open.every(({ type }) => type === 'blockQuote')
    const direction = outer || beginsQuote(this, open.at(-1), token) ? ' dir="auto"' : ''
    open.push(token)
    this.lineEndingIfNeeded()
    return direction
  }
  return {
    enter: {
      paragraph() {
        openParagraph(this, paragraphWithDirection)
      },
      blockQuote(token) {
        this.getData('tightStack').push(false)
        this.tag(`<blockquote${enter.call(this, token)}>`)
      },
      listOrdered(token) {
        openList(this, token, `<ol${enter.call(this, token)}`)
      },
      listUnordered(token) {
        openList(this, token, `<ul${enter.call(this, token)}`)
      },
    },
  }
}

/** Whether nothing but marks is between the beginning of a quote and a block in it. */
function beginsQuote(compiler: CompileContext, quote: Token | undefined, { start }: Token): boolean {
  if (quote?.type !== 'blockQuote' || start.offset - quote.start.offset > maxMarks) return false
  return /^[>\s]*$/.test(compiler.sliceSerialize({ start: quote.start, end: start }))
}

/** Replaces a handler of micromark, which cannot be called from outside; the first item writes the rest of the tag. */
function openList(compiler: CompileContext, token: Token, tag: string): void {
  compiler.getData('tightStack').push(!token._loose)
  compiler.tag(tag)
  compiler.setData('expectFirstItem', true)
}
