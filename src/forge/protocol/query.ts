import * as v from 'valibot'
import type { Problem } from '../../http/route/problem.ts'
import { filterFlag, flag, integer } from './parameters.ts'
import { askable } from './search-pattern.ts'
import { parseTime } from './time.ts'

/** Values of queries as schemas for `query: { … }`. Nothing of these is ever an error; the first value counts. */

/** A text as it came; "" when absent. */
export const queryText = v.optional(v.pipe(v.unknown(), v.transform(firstOf), v.string()), '')

/** A text without blanks around it; "" when absent. */
export const queryTrimmed = v.optional(
  v.pipe(
    v.unknown(),
    v.transform((given) => firstOf(given).trim()),
    v.string(),
  ),
  '',
)

/** All values given for a name, in order. */
export const queryTexts = v.optional(
  v.pipe(
    v.unknown(),
    v.transform((given) => (Array.isArray(given) ? given.map(String) : [String(given)])),
    v.array(v.string()),
  ),
)

/** A switch: false when absent. */
export const queryFlag = v.optional(
  v.pipe(
    v.unknown(),
    v.transform((given) => flag(firstOf(given))),
    v.boolean(),
  ),
  false,
)

/** A filter: undefined when absent or empty, so that it filters nothing. */
export const queryFilter = v.optional(
  v.pipe(
    v.unknown(),
    v.transform((given) => filterFlag(firstOf(given))),
    v.optional(v.boolean()),
  ),
)

/** An integer; 0 when absent or unreadable. */
export const queryInteger = v.optional(
  v.pipe(
    v.unknown(),
    v.transform((given) => integer(firstOf(given))),
    v.number(),
  ),
  0,
)

/**
 * The moment that a text of a query names; undefined when it is empty or the zero time. The one value of a query that
 * can be wrong.
 * @throws Problem what `refuse` makes of the sentence
 */
export function queryMoment(
  name: string,
  text: string,
  refuse: (sentence: string) => Problem,
): Date | undefined {
  const moment = parseTime(text)
  if (!moment.ok) throw refuse(`${name} is no date-time of RFC 3339: ${text}`)
  return moment.value
}

/** The last moment that has a year of four digits; the database reads no others in the form dates are sent in. */
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

/** Clients know whole seconds only: a moment they were shown means all that happened in that second. */
export const wholeSecond = (moment: Date) => new Date(Math.floor(moment.getTime() / 1000) * 1000)
/** The last second that there is has no other after it: clients say "any time" so. */
export const nextSecond = (moment: Date) => new Date(Math.min(wholeSecond(moment).getTime() + 1000, LAST))

/** What comes after a moment: a whole second is one that a client was shown, any other is one that it knows exactly. */
export const justAfter = (moment: Date) =>
  moment.getTime() % 1000 === 0 ? nextSecond(moment) : new Date(Math.min(moment.getTime() + 1, LAST))

/** A path parameter that is a number or an id; 0, which nothing has, where it is none. */
export const numberIn = (given: string) => (/^\d{1,15}$/.test(given) ? Number(given) : 0)

/** A path parameter that is a name: whatever it is, it names something or nothing. */
export const nameParam = v.string()

/** The same, where the database is asked for it as it came. */
export const askedParam = v.pipe(nameParam, v.transform(askable), v.string())

/** The parameters of paths below a repository, and below one of its issues. */
export const inRepo = { owner: nameParam, repo: nameParam }
export const onIssue = { ...inRepo, index: nameParam }

function firstOf(given: unknown): string {
  const first: unknown = Array.isArray(given) ? given[0] : given
  return typeof first === 'string' ? askable(first) : ''
}
