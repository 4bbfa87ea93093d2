import { parseTimetable, type Timetable } from '../../background/cron/timetable.ts'

/** The shortest time between two runs of a workflow, in milliseconds: `@every` knows seconds. */
const shortest = 60_000

/**
 * Reads a line of `on.schedule`: five fields, a word such as `@daily`, or `@every` with an interval; before it
 * `TZ=Europe/Berlin` or `CRON_TZ=…`, otherwise it is about UTC. Undefined for what is none.
 */
export function readScheduleLine(line: string): Timetable | undefined {
  const [, zone, rest] = /^(?:CRON_)?TZ=(\S+)\s+(.+)$/s.exec(line.trim()) ?? []
  const read = parseTimetable(rest ?? line, zone ?? 'UTC')
  if ('fault' in read) return undefined
  const { text, next } = read.value
  const start = next(new Date(0))
  return text.startsWith('@every') && next(start).getTime() - start.getTime() < shortest
    ? undefined
    : read.value
}
