import { markdownLineEnding } from 'micromark-util-character'
import type { Construct, State } from 'micromark-util-types'

export const dollar = 36
const backslash = 92
const backtick = 96
const openBrace = 123
const closeBrace = 125

/** One way to write a formula inside a line. */
interface Form {
  readonly open: readonly number[]
  readonly close: readonly number[]
  /** Backticks make the intention clear, so they count inside words too, and braces are not looked at. */
  readonly quoted: boolean
}

const forms: readonly Form[] = [
  { open: [dollar, backtick], close: [backtick, dollar], quoted: true },
  { open: [dollar, dollar], close: [dollar, dollar], quoted: false },
  { open: [dollar], close: [dollar], quoted: false },
]

/** `` $`x`$ ``, `$$x$$` and `$x$`: the first that fits. */
export const formulas: Construct[] = forms.map(formula)

/** A dollar behind these is a price or the end of something, not the start of a formula. */
const word = /[\p{L}\p{N}.,:;!?$]/u
/** A dollar before these is a price. */
const wordStart = /[\p{L}\p{N}]/u

function formula(form: Form): Construct {
  const open = marks(form.open, () => true)
  const close = marks(form.close, (next) => form.quoted || !matches(next, wordStart))
  return {
    name: 'formula',
    tokenize(effects, ok, nok) {
      const glued = matches(this.previous, word)
      let depth = 0
      return (code) => {
        if (glued && !form.quoted) return nok(code)
        effects.enter('mathText')
        return effects.attempt(open, begin, nok)(code)
      }
      function begin(code: number | null): State | undefined {
        if (code === dollar) return nok(code)
        effects.enter('mathTextData')
        return inside(code)
      }
      function inside(code: number | null): State | undefined {
        if (isLineEnd(code)) return nok(code)
        return code === form.close[0] && depth <= 0 ? effects.check(close, finish, more)(code) : more(code)
      }
      function more(code: number | null): State | undefined {
        // The first dollar that could close a simple formula decides: what is behind it is another matter.
        if (code === dollar && form.close.length === 1 && depth <= 0) return nok(code)
        if (!form.quoted) depth += code === openBrace ? 1 : code === closeBrace ? -1 : 0
        effects.consume(code)
        return code === backslash ? escaped : inside
      }
      function escaped(code: number | null): State | undefined {
        if (code !== dollar && code !== openBrace && code !== closeBrace) return inside(code)
        effects.consume(code)
        return inside
      }
      function finish(code: number | null): State | undefined {
        effects.exit('mathTextData')
        return effects.attempt(close, done, nok)(code)
      }
      function done(code: number | null): State | undefined {
        effects.exit('mathText')
        return ok(code)
      }
    },
  }
}

/** Exactly these characters, with something allowed behind them. */
function marks(expected: readonly number[], allowed: (next: number | null) => boolean): Construct {
  return {
    partial: true,
    tokenize(effects, ok, nok) {
      let index = 0
      return (code) => {
        effects.enter('mathTextSequence')
        return next(code)
      }
      function next(code: number | null): State | undefined {
        if (index < expected.length) {
          if (code !== expected[index]) return nok(code)
          index++
          effects.consume(code)
          return next
        }
        effects.exit('mathTextSequence')
        return allowed(code) ? ok(code) : nok(code)
      }
    },
  }
}

function matches(code: number | null, pattern: RegExp): boolean {
  return code !== null && code > 0 && pattern.test(String.fromCharCode(code))
}

export function isLineEnd(code: number | null): boolean {
  return code === null || markdownLineEnding(code)
}
