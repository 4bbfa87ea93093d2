import { math } from 'micromark-extension-math'
import { markdownLineEnding, markdownSpace } from 'micromark-util-character'
import type {
  CompileContext,
  Construct,
  Extension,
  HtmlExtension,
  State,
  Token,
  Tokenizer,
} from 'micromark-util-types'

const dollar = 36
const backslash = 92
const backtick = 96
const openBrace = 123
const closeBrace = 125

/** `$x$`, `$$x$$` and `` $`x`$ `` inside a line, and blocks between two lines of `$$`. */
export function mathSyntax(): Extension {
  return {
    text: { [dollar]: { name: 'inlineMath', tokenize: tokenizeInline } },
    flow: { [dollar]: blockMath() },
  }
}

const afterWord = /[\p{L}\p{N}.,:;!?$]/u
/** What may follow the closing dollar: not a letter and not a digit, else prices would become formulas. */
const opensWord = /[\p{L}\p{N}]/u

const tokenizeInline: Tokenizer = function (effects, ok, nok) {
  const before = this.previous
  const glued = before !== null && before > 0 && afterWord.test(String.fromCharCode(before))
  let form: 'single' | 'double' | 'code' = 'single'
  let depth = 0
  return open

  function open(): State | undefined {
    effects.enter('mathText')
    effects.enter('mathTextSequence')
    effects.consume(dollar)
    return second
  }

  function second(code: number | null): State | undefined {
    if (code === backtick) form = 'code'
    else if (code === dollar) form = 'double'
    if (glued && form !== 'code') return nok(code)
    if (form !== 'single') effects.consume(code)
    else return begin(code)
    return begin
  }

  function begin(code: number | null): State | undefined {
    if (isLineEnd(code) || code === dollar) return nok(code)
    effects.exit('mathTextSequence')
    effects.enter('mathTextData')
    return inside(code)
  }

  function inside(code: number | null): State | undefined {
    if (isLineEnd(code)) return nok(code)
    if (code === (form === 'code' ? backtick : dollar) && depth <= 0)
      return effects.check(end(form), close, more)(code)
    return more(code)
  }

  function more(code: number | null): State | undefined {
    if (form === 'single' && code === dollar && depth <= 0) return nok(code)
    if (code === openBrace && form !== 'code') depth++
    if (code === closeBrace && form !== 'code') depth--
    effects.consume(code)
    return code === backslash ? escaped : inside
  }

  function escaped(code: number | null): State | undefined {
    if (code !== dollar && code !== openBrace && code !== closeBrace) return inside(code)
    effects.consume(code)
    return inside
  }

  function close(code: number | null): State | undefined {
    effects.exit('mathTextData')
    effects.enter('mathTextSequence')
    effects.consume(code)
    return form === 'single' ? done : closeSecond
  }

  function closeSecond(code: number | null): State | undefined {
    effects.consume(code)
    return done
  }

  function done(code: number | null): State | undefined {
    effects.exit('mathTextSequence')
    effects.exit('mathText')
    return ok(code)
  }
}

function isLineEnd(code: number | null): boolean {
  return code === null || markdownLineEnding(code)
}

/** Looks ahead: is this the closing mark of the form, with something after it that may follow a formula? */
function end(form: 'single' | 'double' | 'code'): Construct {
  return {
    partial: true,
    tokenize(effects, ok, nok) {
      return (code) => {
        effects.enter('mathTextSequence')
        effects.consume(code)
        return form === 'single' ? after : second
      }
      function second(code: number | null): State | undefined {
        if (code !== dollar) return nok(code)
        effects.consume(code)
        return form === 'code' ? leave : after
      }
      function after(code: number | null): State | undefined {
        if (code !== null && code > 0 && opensWord.test(String.fromCharCode(code))) return nok(code)
        return leave(code)
      }
      function leave(code: number | null): State | undefined {
        effects.exit('mathTextSequence')
        return ok(code)
      }
    },
  }
}

/** The library's block, but only where the opening line holds nothing beside the dollars. */
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

/** Formulas as code for a viewer's own typesetter. */
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
