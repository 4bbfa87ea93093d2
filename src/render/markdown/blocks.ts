import type { HtmlExtension } from 'micromark-util-types'

/** Marks the code blocks written in Markdown, so that later steps leave raw HTML alone. */
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

/** Check boxes with the position of their mark: `data-source-position` is the byte offset of the `[`. */
export function taskHtml(source: string, bytesBefore: number): HtmlExtension {
  let units = 0
  let bytes = bytesBefore
  return {
    enter: {
      taskListCheck(token) {
        // Check boxes arrive in source order, so each byte is counted once.
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
