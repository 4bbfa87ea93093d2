import * as v from 'valibot'
import type { Schema } from './validate.ts'

/** A required, non-empty string. A string of blanks is valid and is not trimmed. */
export const text = v.pipe(v.string(), v.nonEmpty())

/**
 * A value with one sentence for readers of the documents, where the name of a member is not enough. Not for a schema with
 * a name (`schemaNamed`): the result is another schema, without one.
 */
export const described = <Of extends Schema>(schema: Of, description: string) =>
  v.pipe(schema, v.description(description))

/** An integer that is exact both in the database and in JSON. */
export const int = v.pipe(v.number(), v.safeInteger())

/** A time as ISO 8601 in UTC with milliseconds: `2026-01-31T08:00:00.000Z`. Sorts as text. */
export const timestamp = v.pipe(v.string(), v.isoTimestamp(), v.examples(['2026-01-31T08:00:00.000Z']))

/** A natural number in a query, `2.0` included, which some clients write for 2; 0 for any other text. */
export const naturalIn = (text: string): number => (/^\d+(?:\.0+)?$/.test(text) ? Number(text) : 0)

/** A path parameter that is an id: decimal digits within the range of JavaScript's safe integers. */
export const id = v.pipe(
  v.string(),
  v.digits(),
  v.transform(Number),
  v.number(),
  v.safeInteger(),
  v.minValue(1),
)

/**
 * `limit` of the site's lists, read like `Number()`: a value that is not a number, zero or negative selects `fallback`;
 * fractions are truncated; larger values are reduced to `maximum` (specification, section 4 rule 1 and section 8).
 */
export function limit(fallback: number, maximum: number) {
  return v.optional(
    v.pipe(
      v.unknown(),
      v.transform((value) => {
        const count = Math.trunc(Number(value))
        return count > 0 ? Math.min(count, maximum) : fallback
      }),
      v.number(),
      v.metadata({
        type: 'integer',
        description: `Maximum number of rows; above ${maximum} means ${maximum}`,
      }),
    ),
    fallback,
  )
}
