import { Cron } from 'croner'
import { done, failed, type Outcome } from '../../common/outcome.ts'

/** When something recurs. */
export interface Timetable {
  /** As configured: `@every 72h`, `@midnight`, `0 4 * * 1`. */
  text: string
  /** The first time after `after`. */
  next: (after: Date) => Date
}

/** The fault is the rest of a sentence that starts with the text. */
type Timetabled = Outcome<Timetable, string>

/** Aliases for five fields, as in cron(8). */
const aliases: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000 }

/** Minimum and maximum interval, in milliseconds. */
const intervalLimits = { shortest: 1_000, longest: 10 * 365 * 86_400_000 }

/**
 * Parses `@every` with an interval such as `72h` or `1h30m`, an alias, or five fields (crontab(5)), which apply to the
 * local time of a time zone (`Europe/Berlin`).
 */
export function parseTimetable(input: string, zone = 'UTC'): Timetabled {
  const text = input.trim().replace(/\s+/g, ' ')
  const interval = /^@every (.+)$/.exec(text)?.[1]
  return interval === undefined ? cronTimetable(text, zone) : intervalTimetable(text, interval)
}

function intervalTimetable(text: string, interval: string): Timetabled {
  const milliseconds = /^(?:\d{1,9}[hms])+$/.test(interval)
    ? [...interval.matchAll(/(\d{1,9})([hms])/g)].reduce(
        (sum, [, amount, unit = '']) => sum + Number(amount) * (units[unit] ?? 0),
        0,
      )
    : 0
  if (milliseconds < intervalLimits.shortest || milliseconds > intervalLimits.longest)
    return failed('must have an interval between 1s and ten years, such as 72h or 1h30m')
  return done({ text, next: (after) => new Date(after.getTime() + milliseconds) })
}

function cronTimetable(text: string, zone: string): Timetabled {
  const parsed = cronOf(text.startsWith('@') ? (aliases[text] ?? '') : text, zone)
  if (!parsed) return failed('must be @every with an interval, a word such as @midnight, or five fields')
  const { cron, first } = parsed
  // For example February 30.
  if (first === null) return failed('names a time that never occurs')
  const next = (after: Date) => {
    const moment = cron.nextRun(after)
    if (moment === null) throw new RangeError(`${text} is never due after ${after.toISOString()}`)
    return moment
  }
  return done({ text, next })
}

/** Undefined if the library cannot parse the fields; `first` is null if their time never occurs. */
function cronOf(fields: string, timezone: string): { cron: Cron; first: Date | null } | undefined {
  try {
    // An unknown time zone is only detected when the next run is computed.
    const cron = new Cron(fields, { timezone, mode: '5-part', paused: true })
    return { cron, first: cron.nextRun(new Date(0)) }
  } catch {
    return undefined
  }
}

/** Timetables by task name; null for a task without a schedule. */
export type Timetables = ReadonlyMap<string, Timetable | null>

/** Parses `name=timetable;name=-`. */
export function parseTimetables(text: string): Outcome<Timetables, string> {
  const timetables = new Map<string, Timetable | null>()
  for (const entry of text.split(';').filter((each) => each.trim() !== '')) {
    const [, name, schedule] = /^\s*(\w+)\s*=(.*)$/s.exec(entry) ?? []
    if (name === undefined || schedule === undefined)
      return failed('must be tasks with their schedules, such as git_gc_repos=@weekly;check_repo_stats=-')
    if (timetables.has(name)) return failed(`has two schedules for ${name}`)
    const timetable = schedule.trim() === '-' ? done(null) : parseTimetable(schedule)
    if (!timetable.ok) return failed(`has a schedule for ${name} that ${timetable.fault}`)
    timetables.set(name, timetable.value)
  }
  return done(timetables)
}
