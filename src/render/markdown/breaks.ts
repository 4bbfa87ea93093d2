import type { CompileContext, HtmlExtension, Token } from 'micromark-util-types'

/** The compiler's position. */
interface Position {
  inParagraph: boolean
  inTitle: boolean
  /** The line already ends with a break. */
  broken: boolean
}

/** Turns every line end inside a paragraph, which begins with this tag, into a line break, for comments. */
export function breakHtml(paragraphTag: string): HtmlExtension {
  const position: Position = { inParagraph: false, inTitle: false, broken: false }
  function hardBreak(this: CompileContext): undefined {
    this.tag('<br />')
    position.broken = true
  }
  return {
    enter: {
      paragraph() {
        openParagraph(this, paragraphTag)
        position.inParagraph = true
      },
      resourceTitle() {
        position.inTitle = true
      },
    },
    exit: {
      paragraph() {
        closeParagraph(this)
        position.inParagraph = false
      },
      resourceTitle() {
        position.inTitle = false
      },
      hardBreakEscape: hardBreak,
      hardBreakTrailing: hardBreak,
      lineEnding(token) {
        endLine(this, token, position)
      },
    },
  }
}

// These three replace handlers of micromark, which cannot be called from outside, with the same behaviour.

export function openParagraph(compiler: CompileContext, tag: string): void {
  if (!compiler.getData('tightStack').at(-1)) {
    compiler.lineEndingIfNeeded()
    compiler.tag(tag)
  }
  compiler.setData('slurpAllLineEndings')
}

function closeParagraph(compiler: CompileContext): void {
  if (compiler.getData('tightStack').at(-1)) compiler.setData('slurpAllLineEndings', true)
  else compiler.tag('</p>')
}

function endLine(compiler: CompileContext, token: Token, position: Position): void {
  if (compiler.getData('slurpAllLineEndings')) return
  if (compiler.getData('slurpOneLineEnding')) {
    compiler.setData('slurpOneLineEnding')
    return
  }
  if (compiler.getData('inCodeText')) {
    compiler.raw(' ')
    return
  }
  const inTag = compiler.getData('ignoreEncode')
  if (position.inParagraph && !position.inTitle && !position.broken && !inTag) compiler.tag('<br />')
  position.broken = false
  compiler.raw(compiler.encode(compiler.sliceSerialize(token)))
}
