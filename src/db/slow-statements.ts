/** A statement that took longer than it may. */
export interface SlowStatement {
  /** Its text without the values of its parameters, in one line, at most 500 characters. */
  statement: string
  /** Until its answer, in milliseconds, with the wait for a connection of the pool. */
  ms: number
  /** The request whose transaction it belongs to, if one is known. */
  requestId: string | undefined
}

/** The duration from which a statement is slow, in milliseconds, and the function that reports it. */
export interface SlowStatements {
  milliseconds: number
  report: (slow: SlowStatement) => void
}

/** Statements of this process that are timed, for `src/metrics`; none without a limit to what is slow. */
export const statementCounts = { running: 0, answered: 0, slow: 0, seconds: 0 }

/** Maximum characters of a reported text. */
const maxLength = 500

/**
 * The same pool or transaction; statements on it and in transactions in it are reported when they are slow. Cursors and
 * copies are not.
 */
export function reportingSlow<On extends object>(sql: On, slow: SlowStatements): On {
  const watch = (made: unknown, text: unknown) => {
    if (made instanceof Promise) timeWhenAwaited(made, (ms, result) => tell(ms, textOf(result) ?? text))
    return made
  }
  const tell = (ms: number, text: unknown) => {
    if (ms < slow.milliseconds) return
    statementCounts.slow++
    const requestId = 'requestId' in sql && typeof sql.requestId === 'string' ? sql.requestId : undefined
    slow.report({ statement: shorten(String(text)), ms: Math.round(ms), requestId })
  }
  return new Proxy(sql, {
    apply: (target, self, args) =>
      typeof target === 'function' ? watch(Reflect.apply(target, self, args), args[0]) : undefined,
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      if (name === 'unsafe') return (...args: unknown[]) => watch(member(...args), args[0])
      if (name !== 'begin' && name !== 'savepoint') return member
      return (...args: unknown[]) =>
        member(
          ...args.map((each) =>
            typeof each === 'function' ? (inner: object) => each(reportingSlow(inner, slow)) : each,
          ),
        )
    },
  })
}

/**
 * Calls `done` when a statement is answered. postgres.js sends one when it is awaited, and never awaits a part of
 * another statement: so the time begins in `then`.
 */
function timeWhenAwaited(made: Promise<unknown>, done: (ms: number, result: unknown) => void): void {
  const value = (...handlers: Parameters<typeof made.then>) => {
    Reflect.deleteProperty(made, 'then')
    const started = performance.now()
    const answer = made.then(...handlers)
    statementCounts.running++
    const answered = (result: unknown) => {
      const ms = performance.now() - started
      statementCounts.running--
      statementCounts.answered++
      statementCounts.seconds += ms / 1000
      done(ms, result)
    }
    made.then(answered, answered)
    return answer
  }
  void Object.defineProperty(made, 'then', { value, configurable: true })
}

/** The text that was sent, from a result of postgres.js: parameters are numbered. */
function textOf(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null || !('statement' in result)) return undefined
  const { statement } = result
  if (typeof statement !== 'object' || statement === null || !('string' in statement)) return undefined
  return String(statement.string)
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line
}
