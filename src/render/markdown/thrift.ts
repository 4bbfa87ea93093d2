import type { Construct, TokenizeContext } from 'micromark-util-types'

/** What a construct read in vain in one piece of text, in characters. */
interface Account {
  /** Where it was first tried. */
  readonly from: number
  spent: number
}

/** What may be read in vain at once, and beyond it for each character that the text has gone on. */
const advance = 4000
const share = 8

/** Wraps each construct once, however often it is met: what a wrapper knows of a text stands in it. */
export function once(wrap: (construct: Construct) => Construct): (construct: Construct) => Construct {
  const known = new Map<Construct, Construct>()
  return (construct) => {
    const result = known.get(construct) ?? wrap(construct)
    known.set(construct, result)
    return result
  }
}

/**
 * The construct, until it has read too much in vain. One that looks for its end may look through the rest of the text from
 * each of its beginnings; this makes the time it takes proportional to the text. Where it is refused, its marks are text.
 */
export function thrifty(construct: Construct): Construct {
  const accounts = new WeakMap<TokenizeContext, Account>()
  return {
    ...construct,
    tokenize(effects, ok, nok) {
      const start = this.now().offset
      const account = accounts.get(this)
      if (account && account.spent > advance + share * (start - account.from)) return nok
      return construct.tokenize.call(this, effects, ok, (code) => {
        const spent = this.now().offset - start
        if (account) account.spent += spent
        else if (spent > 1) accounts.set(this, { from: start, spent })
        return nok(code)
      })
    },
  }
}
