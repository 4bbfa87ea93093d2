import { parseTimetable, type Timetable } from '../../background/cron/timetable.ts'

/** Minimum time between two runs of a schedule, in milliseconds: `@every` accepts seconds. */
const minInterval = 60_000

/**
 * Parses a line of `on.schedule`: five fields, a word such as `@daily`, or `@every` with an interval; optionally
 * preceded by `TZ=Europe/Berlin` or `CRON_TZ=…`, otherwise in UTC. Undefined if the line is invalid or too frequent.
 */
export function readScheduleLine(line: string): Timetable | undefined {
  const [, zone, rest] = /^(?:CRON_)?TZ=(\S+)\s+(.+)$/s.exec(line.trim()) ?? []
  const parsed = parseTimetable(rest ?? line, zone ?? 'UTC')
  if (!parsed.ok) return undefined
  const { text, next } = parsed.value
  const start = next(new Date(0))
  return text.startsWith('@every') && next(start).getTime() - start.getTime() < minInterval
    ? undefined
    : parsed.value
}
