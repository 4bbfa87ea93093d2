import { done, failed, type Outcome } from '../../common/outcome.ts'

/** What replies contain for a time that was never set. */
export const ZERO_TIME = '0001-01-01T00:00:00Z'
/** What replies contain for a stored time that was never set. */
export const EPOCH = '1970-01-01T00:00:00Z'

const RFC3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/
const FIRST = Date.parse('0001-01-01T00:00:00.000Z')
/** The last time with a year of four digits: the database cannot read later ones in the form in which dates are sent. */
export const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z')
const STORED = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/**
 * Parses a date-time of RFC 3339 §5.6, stricter where clients rely on it: upper-case `T` and `Z`, seconds and offset
 * required, no leap second, existing days only. An absent or empty text and the zero time mean absent (undefined).
 * Fractions are cut to milliseconds. Times outside the years 1 to 9999 in UTC become the first or last time of that
 * range, as no row lies beyond. The fault repeats the text.
 */
export function parseTime(text: string | undefined): Outcome<Date | undefined, string> {
  if (text === undefined || text === '') return done(undefined)
  const milliseconds = instantOf(text)
  if (milliseconds === undefined) return failed(text)
  if (milliseconds === FIRST) return done(undefined)
  return done(new Date(Math.min(Math.max(milliseconds, FIRST), LAST_TIME)))
}

/** The last second, in UTC, of the day that a valid text for `parseTime` names. */
export function endOfDay(text: string): Date {
  const end = Date.parse(`${text.slice(0, 'YYYY-MM-DD'.length)}T23:59:59Z`)
  return new Date(Math.max(end, FIRST))
}

/**
 * Prints a database time as `YYYY-MM-DDTHH:MM:SS.sssZ` cut to whole seconds in UTC. Null is printed as `absent`,
 * because clients cannot decode an empty text as a time.
 */
export function printTime(stored: string | null, absent: string): string {
  if (stored === null) return absent
  // Another format means that our statement is wrong, which must not be hidden.
  if (!STORED.test(stored)) throw new RangeError(`Cannot print the time "${stored}": not the database's form`)
  return `${stored.slice(0, 19)}Z`
}

/** Prints a Date in the same form. */
export function printDate(date: Date): string {
  return printTime(date.toISOString(), ZERO_TIME)
}

/** Milliseconds since 1970, fractions cut; undefined when the text is no valid time. */
function instantOf(text: string): number | undefined {
  const [, local, fraction = '', sign, hours, minutes] = RFC3339.exec(text) ?? []
  if (local === undefined) return undefined
  const utc = `${local}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
  const milliseconds = Date.parse(utc)
  // Date.parse turns February 30 into a day of March.
  if (Number.isNaN(milliseconds) || new Date(milliseconds).toISOString() !== utc) return undefined
  if (sign === undefined) return milliseconds
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000
  return sign === '+' ? milliseconds - offset : milliseconds + offset
}
