import { math } from 'micromark-extension-math'
import { markdownSpace } from 'micromark-util-character'
import type { CompileContext, Construct, Extension, HtmlExtension, State, Token } from 'micromark-util-types'
import { dollar, formulas, isLineEnd } from './formula.ts'

/** Inline formulas, and blocks between two lines of `$$`. */
export function mathSyntax(): Extension {
  return { text: { [dollar]: formulas }, flow: { [dollar]: blockMath() } }
}

/** The library's block, but only where the opening line has nothing besides the dollars. */
function blockMath(): Construct {
  const flow = math().flow?.[dollar]
  const block = Array.isArray(flow) ? flow[0] : flow
  if (block === undefined) throw new Error('micromark-extension-math has no block construct')
  return {
    ...block,
    tokenize(effects, ok, nok) {
      return effects.check(bareLine, block.tokenize.call(this, effects, ok, nok), nok)
    },
  }
}

const bareLine: Construct = {
  partial: true,
  tokenize(effects, ok, nok) {
    return (code) => {
      effects.enter('mathFlowFence')
      return dollars(code)
    }
    function dollars(code: number | null): State | undefined {
      if (code !== dollar) return blanks(code)
      effects.consume(code)
      return dollars
    }
    function blanks(code: number | null): State | undefined {
      if (markdownSpace(code)) {
        effects.consume(code)
        return blanks
      }
      if (!isLineEnd(code)) return nok(code)
      effects.exit('mathFlowFence')
      return ok(code)
    }
  },
}

/** Formulas as code for the typesetter of the web client. */
export function mathHtml(): HtmlExtension {
  return {
    enter: {
      mathFlow() {
        this.lineEndingIfNeeded()
        this.tag('<pre class="code-block is-loading"><code class="language-math display">')
      },
      mathFlowFenceMeta() {
        this.buffer()
      },
    },
    exit: {
      mathFlowFence() {
        this.setData('slurpOneLineEnding', true)
      },
      mathFlowFenceMeta() {
        this.resume()
      },
      mathFlowValue: encoded,
      mathFlow() {
        this.tag('</code></pre>')
        this.setData('slurpOneLineEnding')
      },
      mathTextData(token) {
        this.tag('<code class="language-math">')
        this.raw(this.encode(this.sliceSerialize(token).trim()))
        this.tag('</code>')
      },
    },
  }
}

function encoded(this: CompileContext, token: Token): undefined {
  this.raw(this.encode(this.sliceSerialize(token)))
}
