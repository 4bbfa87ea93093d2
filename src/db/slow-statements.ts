/** A statement that took longer than it may. */
export interface SlowStatement {
  /** Its text without the values of its parameters, in one line, at most 500 characters. */
  statement: string
  /** Time from when the server could begin with it, in milliseconds: not the wait for a connection. */
  ms: number
  /** The request whose transaction it belongs to, if one is known. */
  requestId: string | undefined
}

/** From how many milliseconds on a statement is slow, and who is told. */
export interface SlowStatements {
  milliseconds: number
  report: (slow: SlowStatement) => void
}

/** Maximum characters of a reported text. */
const maxLength = 500

/**
 * The options that `src/build/patches/postgres` adds to postgres.js, which times statements where it sends and receives
 * them: two readings of a clock for each.
 */
export function slowStatementOptions({ milliseconds, report }: SlowStatements) {
  return {
    slow_statement: milliseconds,
    onslow: (text: string, ms: number, requestId: string | undefined) =>
      report({ statement: shorten(text), ms: Math.round(ms), requestId }),
  }
}

/** Values are parameters, so they are not in the text. */
function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line
}
