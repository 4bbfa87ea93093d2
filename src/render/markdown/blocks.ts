import type { HtmlExtension } from 'micromark-util-types'

/** Marks the code blocks that come from Markdown, so that later steps leave raw HTML alone. */
export function codeHtml(): HtmlExtension {
  return {
    enter: {
      codeFenced() {
        this.lineEndingIfNeeded()
        this.tag('<pre class="code-block fenced"><code')
        this.setData('fencesCount', 0)
      },
      codeIndented() {
        this.lineEndingIfNeeded()
        this.tag('<pre class="code-block indented"><code>')
      },
    },
  }
}

/** Check boxes that say where their mark stands: `data-source-position` is the byte offset of the `[`. */
export function taskHtml(source: string, bytesBefore: number): HtmlExtension {
  let units = 0
  let bytes = bytesBefore
  return {
    enter: {
      taskListCheck(token) {
        // Check boxes come in the order of the text, so each byte of it is counted once.
        if (token.start.offset < units) [units, bytes] = [0, bytesBefore]
        bytes += Buffer.byteLength(source.slice(units, token.start.offset))
        units = token.start.offset
        this.tag(`<input type="checkbox" disabled="" data-source-position="${bytes}"`)
      },
    },
    exit: {
      taskListCheckValueChecked() {
        this.tag(' checked=""')
      },
      taskListCheck() {
        this.tag(' />')
      },
    },
  }
}

/** Every line end inside a paragraph is a line break, as people write comments. */
export function breakHtml(): HtmlExtension {
  let inParagraph = false
  let inTitle = false
  let broken = false
  return {
    enter: {
      // As the default does, apart from the note where we are.
      paragraph() {
        if (!this.getData('tightStack').at(-1)) {
          this.lineEndingIfNeeded()
          this.tag('<p>')
        }
        this.setData('slurpAllLineEndings')
        inParagraph = true
      },
      resourceTitle() {
        inTitle = true
      },
    },
    exit: {
      paragraph() {
        inParagraph = false
        if (this.getData('tightStack').at(-1)) this.setData('slurpAllLineEndings', true)
        else this.tag('</p>')
      },
      resourceTitle() {
        inTitle = false
      },
      hardBreakEscape() {
        this.tag('<br />')
        broken = true
      },
      hardBreakTrailing() {
        this.tag('<br />')
        broken = true
      },
      lineEnding(token) {
        if (this.getData('slurpAllLineEndings')) return
        if (this.getData('slurpOneLineEnding')) {
          this.setData('slurpOneLineEnding')
          return
        }
        if (this.getData('inCodeText')) {
          this.raw(' ')
          return
        }
        const soft = inParagraph && !inTitle && !broken && !this.getData('ignoreEncode')
        if (soft) this.tag('<br />')
        broken = false
        this.raw(this.encode(this.sliceSerialize(token)))
      },
    },
  }
}
