import * as v from 'valibot'
import type { Problem } from '../../http/route/problem.ts'
import { filterFlag, flag, integer } from './parameters.ts'
import { withoutNul } from './search-pattern.ts'
import { LAST_TIME, parseTime } from './time.ts'

/**
 * Schemas for the values of `query: { … }`; the first value counts. A word or a number that cannot be understood is
 * refused (422): a filter that is ignored selects everything, and a change that is misread changes something else. Flags
 * are read as in Gitea: what is not true is false.
 */

/** A text as sent; "" when absent. */
export const queryText = v.optional(v.pipe(v.unknown(), v.transform(firstOf), v.string()), '')

/** A trimmed text; "" when absent. */
export const queryTrimmed = v.optional(
  v.pipe(
    v.unknown(),
    v.transform((value) => firstOf(value).trim()),
    v.string(),
  ),
  '',
)

/** One of these words, which are in lower case, in any case; "" when absent or empty. */
export const queryWord = <const Word extends string>(...words: readonly Word[]) =>
  v.optional(
    v.pipe(
      v.unknown(),
      v.transform((value) => firstOf(value).trim().toLowerCase()),
      v.picklist(['', ...words], refusalOf(words)),
      v.metadata({ enum: words }),
    ),
    '',
  )

/** The same for a page, which shows what counts: "" also for any other text. */
export const queryChoice = <const Word extends string>(...words: readonly Word[]) =>
  v.optional(
    v.pipe(
      v.unknown(),
      v.transform((value) => words.find((word) => word === firstOf(value)) ?? ''),
      v.picklist(['', ...words]),
      v.metadata({ enum: words }),
    ),
    '',
  )

/** A time of RFC 3339 as sent, for `queryMoment`; "" when absent. */
export const queryTime = v.optional(
  v.pipe(v.unknown(), v.transform(firstOf), v.string(), v.metadata({ format: 'date-time' })),
  '',
)

/** All values of a name, in order, as sent; none when absent. */
export const queryTexts = v.optional(v.pipe(v.unknown(), v.transform(allOf), v.array(v.string())), [])

/** Some of these words, as with `queryWord`: repeated or, as some clients send them, separated by commas. */
export const queryWords = <const Word extends string>(...words: readonly Word[]) =>
  v.optional(
    v.pipe(
      v.unknown(),
      v.transform((value) => allOf(value).flatMap(wordsIn)),
      v.array(v.picklist(words, refusalOf(words))),
      v.metadata({ items: { type: 'string', enum: words } }),
    ),
    [],
  )

/** The words in a list that is separated by commas, in lower case. */
const wordsIn = (text: string) =>
  text
    .split(',')
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '')

const refusalOf = (words: readonly string[]) => `must be one of ${words.join(', ')}`

/** A switch: false when absent. */
export const queryFlag = v.optional(
  v.pipe(
    v.unknown(),
    v.transform((value) => flag(firstOf(value))),
    v.boolean(),
  ),
  false,
)

/** A filter: undefined when absent or empty, so that it filters nothing. */
export const queryFilter = v.optional(
  v.pipe(
    v.unknown(),
    v.transform((value) => filterFlag(firstOf(value))),
    v.optional(v.boolean()),
  ),
)

/** An integer; 0 when absent or empty. */
export const queryInteger = v.optional(
  v.pipe(
    v.unknown(),
    v.transform(firstOf),
    v.string(),
    v.regex(/^(?:[+-]?\d+(?:\.0+)?)?$/, 'must be an integer'),
    v.transform((text) => integer(text)),
    v.metadata({ type: 'integer' }),
  ),
  0,
)

/** Ids, repeated or separated by commas; none when absent. */
export const queryIds = v.optional(
  v.pipe(
    v.unknown(),
    v.transform((value) => allOf(value).flatMap(wordsIn)),
    v.array(v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'must be an id'), v.transform(Number))),
    v.metadata({ items: { type: 'integer' } }),
  ),
  [],
)

/** The number of rows or of a page; 0, for the default, when absent or unreadable. */
export const queryCount = v.optional(
  v.pipe(
    v.unknown(),
    v.transform((value) => integer(firstOf(value))),
    v.number(),
    v.metadata({ type: 'integer' }),
  ),
  0,
)

/**
 * The time in a query text; undefined when it is empty or the zero time.
 * @throws Problem made by `refuse` from the message
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

/** Clients only know whole seconds: a time that they saw means its whole second. */
export const wholeSecond = (moment: Date) => new Date(Math.floor(moment.getTime() / 1000) * 1000)
/** The last second has no successor: clients send it to say "any time". */
export const nextSecond = (moment: Date) =>
  new Date(Math.min(wholeSecond(moment).getTime() + 1000, LAST_TIME))

/**
 * The first time after another one. A whole second is one that a client saw and means all of it; any other
 * time is exact.
 */
export const justAfter = (moment: Date) =>
  moment.getTime() % 1000 === 0 ? nextSecond(moment) : new Date(Math.min(moment.getTime() + 1, LAST_TIME))

/** A path parameter that is a number or an id; 0, which is no valid id, for any other text. */
export const numberIn = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : 0)

/**
 * The text of a number or an id, for `numberIn`: unlike `id`, who may not see the target learns nothing of its form.
 */
export const numberParam = v.pipe(v.string(), v.metadata({ type: 'integer' }))

/** A path parameter that is any text, cleaned for use in a database query. */
export const nameParam = v.pipe(v.string(), v.transform(withoutNul), v.string())

/** The parameter of paths below an issue. */
export const onIssue = { index: numberParam }

function allOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [String(value)]
}

function firstOf(value: unknown): string {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? withoutNul(first) : ''
}
