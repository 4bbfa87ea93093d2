import { Cron } from 'croner'

/** When something is due, again and again. */
export interface Timetable {
  /** As it was written: `@every 72h`, `@midnight`, `0 4 * * 1`. */
  text: string
  /** The first moment after another one. */
  next: (after: Date) => Date
}

/** A timetable, or why a text is none, in words that follow the text. */
export type Timetabled = { value: Timetable } | { fault: string }

/** Words for five fields, as cron(8) knows them. */
const words: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000 }

/** Shortest and longest interval, in milliseconds. */
const intervals = { shortest: 1_000, longest: 10 * 365 * 86_400_000 }

/**
 * Reads `@every` with an interval such as `72h` or `1h30m`, one of the words, or five fields (crontab(5)), which are
 * about the clocks of a time zone (`Europe/Berlin`).
 */
export function parseTimetable(given: string, zone = 'UTC'): Timetabled {
  const text = given.trim().replace(/\s+/g, ' ')
  const interval = /^@every (.+)$/.exec(text)?.[1]
  return interval === undefined ? atMoments(text, zone) : atIntervals(text, interval)
}

function atIntervals(text: string, interval: string): Timetabled {
  const milliseconds = /^(?:\d{1,9}[hms])+$/.test(interval)
    ? [...interval.matchAll(/(\d{1,9})([hms])/g)].reduce(
        (sum, [, amount, unit = '']) => sum + Number(amount) * (units[unit] ?? 0),
        0,
      )
    : 0
  if (milliseconds < intervals.shortest || milliseconds > intervals.longest)
    return { fault: 'must have an interval between 1s and ten years, such as 72h or 1h30m' }
  return { value: { text, next: (after) => new Date(after.getTime() + milliseconds) } }
}

function atMoments(text: string, zone: string): Timetabled {
  const cron = cronOf(text.startsWith('@') ? (words[text] ?? '') : text, zone)
  if (!cron) return { fault: 'must be @every with an interval, a word such as @midnight, or five fields' }
  // The 30th of February.
  if (cron.nextRun(new Date(0)) === null) return { fault: 'names no moment that ever comes' }
  const next = (after: Date) => {
    const moment = cron.nextRun(after)
    if (moment === null) throw new RangeError(`${text} is never due after ${after.toISOString()}`)
    return moment
  }
  return { value: { text, next } }
}

/** The library throws for what it cannot read. */
function cronOf(fields: string, timezone: string): Cron | undefined {
  try {
    // Asked for once here: an unknown zone is found out only then.
    const cron = new Cron(fields, { timezone, mode: '5-part', paused: true })
    cron.nextRun(new Date(0))
    return cron
  } catch {
    return undefined
  }
}

/** Timetables by the names of tasks; null where a task is not to run by itself. */
export type Timetables = ReadonlyMap<string, Timetable | null>

/** Reads `name=timetable;name=-`. */
export function parseTimetables(text: string): { value: Timetables } | { fault: string } {
  const read = new Map<string, Timetable | null>()
  for (const entry of text.split(';').filter((each) => each.trim() !== '')) {
    const [, name, given] = /^\s*(\w+)\s*=(.*)$/s.exec(entry) ?? []
    if (name === undefined || given === undefined)
      return { fault: 'must be tasks with their schedules, such as git_gc_repos=@weekly;check_repo_stats=-' }
    const timetable = given.trim() === '-' ? { value: null } : parseTimetable(given)
    if ('fault' in timetable) return { fault: `has a schedule for ${name} that ${timetable.fault}` }
    read.set(name, timetable.value)
  }
  return { value: read }
}
