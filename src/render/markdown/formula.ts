import { markdownLineEnding } from 'micromark-util-character'
import type { Construct, Effects, State, TokenizeContext } from 'micromark-util-types'

export const dollar = 36
const backslash = 92
const backtick = 96
const space = 32
const openBrace = 123
const closeBrace = 125

/** Maximum backticks around a formula: each one is checked again at every possible end. */
const maxTicks = 8

/** A dollar after one of these is a price or the end of something, not the start of a formula. */
const textBefore = /[A-Za-z0-9.,:;!?]/
/** What may follow a formula, besides a space and the end of the line. */
const textAfter = /[$).,:;!?]/

/** `` $`x`$ `` with up to eight backticks: the intention is clear, so it counts inside words too. */
const quoted: Construct = {
  name: 'formula',
  tokenize(effects, ok, nok) {
    let ticks = 0
    return (code) => {
      effects.enter('mathText')
      effects.enter('mathTextSequence')
      effects.consume(code)
      return opening
    }
    function opening(code: number | null): State | undefined {
      if (code !== backtick) return ticks === 0 || ticks > maxTicks ? nok(code) : begin(code)
      ticks++
      effects.consume(code)
      return opening
    }
    function begin(code: number | null): State | undefined {
      effects.exit('mathTextSequence')
      const close = sequence([...Array<number>(ticks).fill(backtick), dollar])
      return content(effects, { close, first: backtick, braces: false, end: () => true }, ok, nok)(code)
    }
  },
}

/** `$$x$$` and `$x$`: no letter, digit or punctuation mark before, and only white space or a mark after. */
function plain(dollars: readonly number[]): Construct {
  const close = sequence(dollars)
  return {
    name: 'formula',
    tokenize(effects, ok, nok) {
      const glued = matches(this.previous, textBefore) || (this.previous === dollar && !isBehindFormula(this))
      return (code) => {
        if (glued) return nok(code)
        effects.enter('mathText')
        return effects.attempt(close, begin, nok)(code)
      }
      function begin(code: number | null): State | undefined {
        if (code === dollar || (code === backtick && dollars.length === 1)) return nok(code)
        return content(effects, { close, first: dollar, braces: true, end: mayEnd }, ok, nok)(code)
      }
    },
  }
}

/** A literal dollar prevents a formula right after it; the closing dollar of a formula does not. */
function isBehindFormula({ events }: TokenizeContext): boolean {
  const [kind, token] = events.at(-1) ?? []
  return kind === 'exit' && token?.type === 'mathText'
}

const mayEnd = (next: number | null) => isLineEnd(next) || next === space || matches(next, textAfter)

/** The ways to write an inline formula; the first that matches wins. */
export const formulas: Construct[] = [quoted, plain([dollar, dollar]), plain([dollar])]

/** How a formula ends. */
interface Ending {
  readonly close: Construct
  /** The first character of `close`. */
  readonly first: number
  /** Whether it ends only where all braces are closed. */
  readonly braces: boolean
  /** Whether it may end before this character. The first possible end decides. */
  readonly end: (next: number | null) => boolean
}

/** Reads a formula from its first character to its end. */
function content(effects: Effects, { close, first, braces, end }: Ending, ok: State, nok: State): State {
  let depth = 0
  return (code) => {
    effects.enter('mathTextData')
    return inside(code)
  }
  function inside(code: number | null): State | undefined {
    if (isLineEnd(code)) return nok(code)
    return code === first && depth <= 0 ? effects.check(close, finish, more)(code) : more(code)
  }
  function more(code: number | null): State | undefined {
    if (braces) depth += code === openBrace ? 1 : code === closeBrace ? -1 : 0
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
    if (!end(code)) return nok(code)
    effects.exit('mathText')
    return ok(code)
  }
}

/** Matches exactly these characters, as a token of a type, before a character that may follow. */
export function sequence(
  expected: readonly number[],
  type: 'mathTextSequence' | 'data' = 'mathTextSequence',
  mayFollow: (code: number | null) => boolean = () => true,
): Construct {
  return {
    partial: true,
    tokenize(effects, ok, nok) {
      let index = 0
      return (code) => {
        effects.enter(type)
        return next(code)
      }
      function next(code: number | null): State | undefined {
        if (index === expected.length) {
          effects.exit(type)
          return mayFollow(code) ? ok(code) : nok(code)
        }
        if (code !== expected[index]) return nok(code)
        index++
        effects.consume(code)
        return next
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
