import type { Log } from '../../../src/log.ts'

/** What an operation was seen to answer: its literal and a status, as `GET /api/news 200`. */
const answered = new Set<string>()

/** The log of a test's app, which also notes what its operations answer, whatever client has called them. */
export function notingStatuses(log: Log): Log {
  return {
    ...log,
    request: (line) => {
      if (line.route !== null) answered.add(`${line.method} ${line.route} ${line.status}`)
      log.request(line)
    },
  }
}

/** Gives what was noted since the last time. */
export function takeAnswered(): string[] {
  const taken = [...answered]
  answered.clear()
  return taken
}
