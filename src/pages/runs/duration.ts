import { type Html, html } from '../html.ts'

interface Times {
  /** 1970 until it is known. */
  started_at: string
  completed_at: string
}

const isKnown = (at: string) => !at.startsWith('1970-')

/** How long something has taken, or takes until `now`; undefined before it starts. */
export function durationOf({ started_at, completed_at }: Times, now: Date): Html | undefined {
  if (!isKnown(started_at)) return undefined
  const end = isKnown(completed_at) ? Date.parse(completed_at) : now.getTime()
  const seconds = Math.max(0, Math.round((end - Date.parse(started_at)) / 1000))
  return html`<time class="duration" datetime="PT${seconds}S">${wordsOf(seconds)}</time>`
}

/** `5 s`, `1 min 30 s`, `2 h 5 min`. */
function wordsOf(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
