import type { Construct, TokenizeContext } from 'micromark-util-types'

/** Characters that a construct read without a match in one piece of text. */
interface Budget {
  /** Offset of the first attempt. */
  readonly start: number
  spent: number
}

/** Characters that may be read without a match at once, and in addition per character of progress. */
const advance = 4000
const share = 8

/** Wraps each construct once, so that a wrapper can keep state per text. */
export function once(wrap: (construct: Construct) => Construct): (construct: Construct) => Construct {
  const wrapped = new Map<Construct, Construct>()
  return (construct) => {
    const result = wrapped.get(construct) ?? wrap(construct)
    wrapped.set(construct, result)
    return result
  }
}

/**
 * The construct with a backtracking budget. A construct that searches for its end may read the rest of the text at each
 * of its beginnings; the budget makes its time linear. When it is used up, the marks of the construct are text.
 */
export function budgeted(construct: Construct): Construct {
  const budgets = new WeakMap<TokenizeContext, Budget>()
  return {
    ...construct,
    tokenize(effects, ok, nok) {
      const start = this.now().offset
      const budget = budgets.get(this)
      if (budget && budget.spent > advance + share * (start - budget.start)) return nok
      return construct.tokenize.call(this, effects, ok, (code) => {
        const spent = this.now().offset - start
        if (budget) budget.spent += spent
        else if (spent > 1) budgets.set(this, { start, spent })
        return nok(code)
      })
    },
  }
}
