import { setImmediate } from 'node:timers/promises'
import type { Mask } from './mask.ts'

/** A line as a runner sends it. */
export interface Row {
  /** Seconds since 1970 and nanoseconds; undefined: not told. */
  time?: { seconds: bigint; nanos: number } | undefined
  content: string
}

/** Characters of a line that are kept. */
const longestLine = 65_536

/** Milliseconds of work before others have a turn. */
const turn = 20

/**
 * Lines as they are stored: the moment with seven digits behind the second, a blank, the text, a line feed. A text has no
 * line feeds of its own, so that lines can be counted.
 */
export async function storedLines(rows: readonly Row[], mask: Mask, now: Date): Promise<string> {
  const lines: string[] = []
  let since = performance.now()
  for (const row of rows) {
    lines.push(`${momentOf(row, now)} ${textOf(row, mask)}\n`)
    if (performance.now() - since < turn) continue
    await setImmediate()
    since = performance.now()
  }
  return lines.join('')
}

/** The line that stands where a log has become too long. */
export const cutLine = (now: Date) =>
  lineOf('The log is longer than this server keeps; what follows is not stored.', now)

/** A line of the server's own. */
export const lineOf = (text: string, at: Date) => `${momentOf({ content: '' }, at)} ${text}\n`

function textOf({ content }: Row, mask: Mask): string {
  // Room for what a secret may hide of it; the rest would not be kept.
  const read = content.slice(0, longestLine + 2 * mask.longest)
  // PostgreSQL keeps no NUL.
  const line = mask.hide(read.replaceAll('\0', '\uFFFD').replace(/\r?\n$/, ''))
  // A secret that the cut went through is not found: it may begin so far before it.
  const whole = read.length < content.length ? line.slice(0, Math.max(0, line.length - mask.longest)) : line
  return whole.replaceAll('\r\n', '\\n').replaceAll('\n', '\\n').slice(0, longestLine)
}

/** Moments beyond the year 9999 are no moments. */
function momentOf({ time }: Row, now: Date): string {
  const known = time && time.seconds > 0n && time.seconds < 253_402_300_800n
  const moment = known ? new Date(Number(time.seconds) * 1000) : now
  const fraction = known ? time.nanos : moment.getUTCMilliseconds() * 1_000_000
  const digits = String(Math.floor(Math.min(Math.max(fraction, 0), 999_999_999) / 100)).padStart(7, '0')
  return `${moment.toISOString().slice(0, 19)}.${digits}Z`
}
