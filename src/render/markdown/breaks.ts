import type { CompileContext, HtmlExtension, Token } from 'micromark-util-types'

/** Where the compiler stands. */
interface Position {
  inParagraph: boolean
  inTitle: boolean
  /** The line ends with a break of its own. */
  broken: boolean
}

/** Every line end inside a paragraph is a line break, as people write comments. */
export function breakHtml(): HtmlExtension {
  const place: Position = { inParagraph: false, inTitle: false, broken: false }
  function hardBreak(this: CompileContext): undefined {
    this.tag('<br />')
    place.broken = true
  }
  return {
    enter: {
      paragraph() {
        openParagraph(this)
        place.inParagraph = true
      },
      resourceTitle() {
        place.inTitle = true
      },
    },
    exit: {
      paragraph() {
        closeParagraph(this)
        place.inParagraph = false
      },
      resourceTitle() {
        place.inTitle = false
      },
      hardBreakEscape: hardBreak,
      hardBreakTrailing: hardBreak,
      lineEnding(token) {
        endLine(this, token, place)
      },
    },
  }
}

// These three replace handlers of micromark, which have no way to be called, and do what they do.

function openParagraph(compiler: CompileContext): void {
  if (!compiler.getData('tightStack').at(-1)) {
    compiler.lineEndingIfNeeded()
    compiler.tag('<p>')
  }
  compiler.setData('slurpAllLineEndings')
}

function closeParagraph(compiler: CompileContext): void {
  if (compiler.getData('tightStack').at(-1)) compiler.setData('slurpAllLineEndings', true)
  else compiler.tag('</p>')
}

function endLine(compiler: CompileContext, token: Token, place: Position): void {
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
  if (place.inParagraph && !place.inTitle && !place.broken && !inTag) compiler.tag('<br />')
  place.broken = false
  compiler.raw(compiler.encode(compiler.sliceSerialize(token)))
}
