import type { CountRequest } from '../../../src/http/pipeline/send.ts'

/** What an operation was seen to answer: its literal and a status, as `GET /api/news 200`. */
const answered = new Set<string>()

/** Notes what the operations of a test's app answer, whatever client has called them. */
export const noteStatus: CountRequest = ({ method, route, status }) => {
  if (route !== null) answered.add(`${method} ${route} ${status}`)
}

/** Gives what was noted since the last time. */
export function takeAnswered(): string[] {
  const taken = [...answered]
  answered.clear()
  return taken
}
