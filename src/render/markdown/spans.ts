import type { Event, Point, Resolver, Token, TokenizeContext } from 'micromark-util-types'

/** A run of `*`, `_` or `~` that may open or close a span. */
interface Run {
  readonly token: Token
  readonly marker: string
  /** Number of marks, and how many of them are unused yet. */
  readonly size: number
  length: number
  /** The spans that end after and begin before these marks, in the order in which they were found. */
  readonly closes: Token[]
  readonly opens: Token[]
}

/**
 * Pairs the runs of a text to emphasis and strikethrough (CommonMark 0.31, "An algorithm for parsing nested emphasis
 * and links"; GitHub's extension puts `~` on the same stack). The libraries' own algorithms are quadratic.
 */
export const resolveSpans: Resolver = (events, context) => {
  const runs = new Map<Token, Run>()
  for (const [kind, token] of events)
    if (kind === 'enter' && isRun(token)) runs.set(token, runOf(token, context))
  if (runs.size === 0) return events
  pair([...runs.values()])
  // In place: the tokenizer of the surrounding lines keeps a reference to the list.
  for (const event of events.splice(0)) {
    const run = runs.get(event[1])
    if (run === undefined) events.push(event)
    else if (event[0] === 'enter') events.push(...eventsOf(run, context))
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
  // For each kind of closing run, how many entries at the bottom of the stack are known not to match.
  const bottoms = new Map<string, number>()
  for (const run of runs) {
    while (run.token._close && run.length > 0) {
      const index = openerOf(run, stack, bottoms)
      const opener = stack[index]
      if (opener === undefined) break
      join(opener, run)
      stack.length = opener.length > 0 ? index + 1 : index
      for (const [kind, bottom] of bottoms) if (bottom > index) bottoms.set(kind, index)
    }
    if (run.token._open && run.length > 0) stack.push(run)
  }
}

/** The index in the stack of the run that this one closes, or -1. */
function openerOf(run: Run, stack: readonly Run[], bottoms: Map<string, number>): number {
  const kind = run.marker === '~' ? `~${run.size}` : `${run.marker}${run.token._open}${run.size % 3}`
  const bottom = bottoms.get(kind) ?? 0
  for (let index = stack.length - 1; index >= bottom; index--) {
    const opener = stack[index]
    if (opener?.marker === run.marker && fits(opener, run)) return index
  }
  bottoms.set(kind, stack.length)
  return -1
}

/** Rules 9 and 10 of emphasis; tildes need runs of the same length. */
function fits(opener: Run, closer: Run): boolean {
  if (closer.marker === '~') return opener.size === closer.size
  const canBeBoth = opener.token._close || closer.token._open
  return !canBeBoth || closer.size % 3 === 0 || (opener.size + closer.size) % 3 !== 0
}

/** Pairs the innermost marks of both. */
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

/** A run has no line ends and tabs, so only columns and offsets change. */
function move(point: Point, by: number): void {
  point.column += by
  point.offset += by
  point._bufferIndex += by
}

/** The events that replace a run: span ends, the remaining marks as text, span beginnings. */
function eventsOf({ token, length, closes, opens }: Run, context: TokenizeContext): Event[] {
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
