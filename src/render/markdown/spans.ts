import type { Event, Point, Resolver, Token, TokenizeContext } from 'micromark-util-types'

/** A run of `*`, `_` or `~` that may open or close something. */
interface Run {
  readonly token: Token
  readonly marker: string
  /** Marks it has, and those of them that are not used yet. */
  readonly size: number
  length: number
  /** What begins before these marks and ends behind them, in the order in which it was found. */
  readonly closes: Token[]
  readonly opens: Token[]
}

/**
 * Pairs the runs of a text to emphasis and strikethrough (CommonMark 0.31, "An algorithm for parsing nested emphasis and
 * links"; GitHub's extension has `~` on the same stack). The libraries' own ways take quadratic time.
 */
export const resolveSpans: Resolver = (events, context) => {
  const runs = new Map<Token, Run>()
  for (const [kind, token] of events)
    if (kind === 'enter' && isRun(token)) runs.set(token, runOf(token, context))
  if (runs.size === 0) return events
  pair([...runs.values()])
  // In place: the tokenizer of the lines around keeps the list.
  for (const event of events.splice(0)) {
    const run = runs.get(event[1])
    if (run === undefined) events.push(event)
    else if (event[0] === 'enter') events.push(...written(run, context))
  }
  return events
}

const isRun = ({ type }: Token) => type === 'attentionSequence' || type === 'strikethroughSequenceTemporary'

function runOf(token: Token, context: TokenizeContext): Run {
  const size = token.end.offset - token.start.offset
  return { token, marker: context.sliceSerialize(token).charAt(0), size, length: size, closes: [], opens: [] }
}

function pair(runs: readonly Run[]): void {
  const stack: Run[] = []
  // For each kind of closing run, so many at the bottom of the stack are known not to fit.
  const bottoms = new Map<string, number>()
  for (const run of runs) {
    while (run.token._close && run.length > 0) {
      const at = openerOf(run, stack, bottoms)
      const opener = stack[at]
      if (opener === undefined) break
      join(opener, run)
      stack.length = opener.length > 0 ? at + 1 : at
      for (const [kind, bottom] of bottoms) if (bottom > at) bottoms.set(kind, at)
    }
    if (run.token._open && run.length > 0) stack.push(run)
  }
}

/** The place in the stack of the run that this one closes, or -1. */
function openerOf(run: Run, stack: readonly Run[], bottoms: Map<string, number>): number {
  const kind = run.marker === '~' ? `~${run.size}` : `${run.marker}${run.token._open}${run.size % 3}`
  const bottom = bottoms.get(kind) ?? 0
  for (let at = stack.length - 1; at >= bottom; at--) {
    const opener = stack[at]
    if (opener?.marker === run.marker && fits(opener, run)) return at
  }
  bottoms.set(kind, stack.length)
  return -1
}

/** Rules 9 and 10 of emphasis; tildes want as many of them. */
function fits(opener: Run, closer: Run): boolean {
  if (closer.marker === '~') return opener.size === closer.size
  const either = opener.token._close || closer.token._open
  return !either || closer.size % 3 === 0 || (opener.size + closer.size) % 3 !== 0
}

/** Takes the innermost marks of both. */
function join(opener: Run, closer: Run): void {
  const strike = closer.marker === '~'
  const used = strike ? closer.length : opener.length > 1 && closer.length > 1 ? 2 : 1
  move(opener.token.end, -used)
  const type = strike ? 'strikethrough' : used > 1 ? 'strong' : 'emphasis'
  const end = { ...closer.token.start }
  move(end, used)
  const token: Token = { type, start: { ...opener.token.end }, end }
  move(closer.token.start, used)
  opener.opens.push(token)
  closer.closes.push(token)
  opener.length -= used
  closer.length -= used
}

/** A run holds neither line ends nor tabs, so that its places differ in the column only. */
function move(point: Point, by: number): void {
  point.column += by
  point.offset += by
  point._bufferIndex += by
}

/** What stands in place of a run: ends, the marks that are left as text, beginnings. */
function written({ token, length, closes, opens }: Run, context: TokenizeContext): Event[] {
  token.type = 'data'
  return [
    ...closes.map((each): Event => ['exit', each, context]),
    ...(length === 0
      ? []
      : ([
          ['enter', token, context],
          ['exit', token, context],
        ] satisfies Event[])),
    ...opens.reverse().map((each): Event => ['enter', each, context]),
  ]
}
