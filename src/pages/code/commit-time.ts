import { type Html, timeOf } from '../html.ts'

/** The time of a commit, which its author chooses; undefined for one that is no time. */
export function timeOfCommit(at: string): Html | undefined {
  const milliseconds = Date.parse(at)
  return Number.isNaN(milliseconds) ? undefined : timeOf(new Date(milliseconds).toISOString())
}
