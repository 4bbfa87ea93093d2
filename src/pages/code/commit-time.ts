import { type Html, html, timeOf } from '../html.ts'

/** The time of a commit, which its author chooses; undefined for one that is no time. */
export function timeOfCommit(at: string): Html | undefined {
  const milliseconds = Date.parse(at)
  return Number.isNaN(milliseconds) ? undefined : timeOf(new Date(milliseconds).toISOString())
}

const inWords = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** The day of a commit in words, in UTC: `28 November 2026`. */
export function dayNamed(at: string): string {
  const milliseconds = Date.parse(at)
  return Number.isNaN(milliseconds) ? 'An unknown day' : inWords.format(milliseconds)
}

/** The day of a commit, with the whole time as a hint; undefined for one that is no time. */
export function dayOfCommit(at: string): Html | undefined {
  const milliseconds = Date.parse(at)
  if (Number.isNaN(milliseconds)) return undefined
  const iso = new Date(milliseconds).toISOString()
  return html`<time datetime="${iso}" title="${iso.slice(0, 16).replace('T', ' ')} UTC">${iso.slice(0, 10)}</time>`
}
