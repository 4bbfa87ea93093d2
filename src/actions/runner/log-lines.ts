import { setImmediate } from 'node:timers/promises'
import { storableText } from '../run/storable-text.ts'
import type { Mask } from './mask.ts'

/** A line of a runner's report. */
interface Row {
  /** Seconds since 1970 and nanoseconds; undefined: not reported. */
  time?: { seconds: bigint; nanos: number } | undefined
  content: string
}

/** Maximum characters of a stored line. */
const maxLineLength = 65_536

/** Milliseconds of work before the event loop gets a turn. */
const timeSlice = 20

/**
 * Lines in their stored form: timestamp with seven fractional digits, space, text, line feed. The text contains no line
 * feed, so that lines can be counted.
 */
export async function storedLines(rows: readonly Row[], mask: Mask, now: Date): Promise<string> {
  const lines = await inSlices(rows, (row) => `${timestampOf(row, now)} ${textOf(row, mask)}\n`)
  return lines.join('')
}

/** A text of several lines without what the mask hides, as PostgreSQL can store it. */
export async function maskedText(text: string, mask: Mask): Promise<string> {
  return (await inSlices(storableText(text).split('\n'), mask.hide)).join('\n')
}

/** Converts lines one by one, while other work gets its turn. */
async function inSlices<Item>(items: readonly Item[], convert: (item: Item) => string): Promise<string[]> {
  const lines: string[] = []
  let since = performance.now()
  for (const item of items) {
    lines.push(convert(item))
    if (performance.now() - since < timeSlice) continue
    await setImmediate()
    since = performance.now()
  }
  return lines
}

/** The line that marks where a log exceeded the limit. */
export const cutLine = (now: Date) =>
  lineOf('The log is longer than this server stores; the following lines are missing.', now)

/** A line written by the server. */
export const lineOf = (text: string, at: Date) => `${timestampOf({ content: '' }, at)} ${text}\n`

function textOf({ content }: Row, mask: Mask): string {
  // Reads more than is stored, because masking may shorten the text.
  const read = content.slice(0, maxLineLength + 2 * mask.longest)
  // PostgreSQL cannot store NUL.
  const line = mask.hide(read.replaceAll('\0', '\uFFFD').replace(/\r?\n$/, ''))
  // A truncated secret is not recognized and may begin this far before the cut, so that part is dropped.
  const whole = read.length < content.length ? line.slice(0, Math.max(0, line.length - mask.longest)) : line
  return whole.replaceAll('\r\n', '\\n').replaceAll('\n', '\\n').slice(0, maxLineLength)
}

/** The timestamp of a line; a missing one is `now`. */
function timestampOf({ time }: Row, now: Date): string {
  const date = dateOf(time)
  const nanos = date && time ? time.nanos : now.getUTCMilliseconds() * 1_000_000
  const digits = String(Math.floor(Math.min(Math.max(nanos, 0), 999_999_999) / 100)).padStart(7, '0')
  return `${(date ?? now).toISOString().slice(0, 19)}.${digits}Z`
}

/** A time of a runner in whole seconds; undefined if it is missing or after the year 9999. */
export function dateOf(time: { seconds: bigint } | undefined): Date | undefined {
  if (!time || time.seconds <= 0n || time.seconds >= 253_402_300_800n) return undefined
  return new Date(Number(time.seconds) * 1000)
}
