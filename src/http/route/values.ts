import * as v from 'valibot'

/** A required, non-empty string. Blanks alone are text and stay. */
export const text = v.pipe(v.string(), v.nonEmpty())

/** An integer as the database gives it and JSON carries it exactly. */
export const int = v.pipe(v.number(), v.safeInteger())

/** A moment as ISO 8601 in UTC with milliseconds: `2026-01-31T08:00:00.000Z`. Sorts as text. */
export const timestamp = v.pipe(v.string(), v.isoTimestamp())

/** A path parameter that is an id: decimal digits within JavaScript's exact range. */
export const id = v.pipe(
  v.string(),
  v.digits(),
  v.transform(Number),
  v.number(),
  v.safeInteger(),
  v.minValue(1),
)

/**
 * `limit` as the site's lists read it: like `Number()`; what is no number, zero or negative selects `fallback`,
 * fractions are cut off, above `most` is reduced to `most` (specification, section 4 rule 1 and section 8).
 */
export function limit(fallback: number, most: number) {
  return v.optional(
    v.pipe(
      v.unknown(),
      v.transform((given) => {
        const count = Math.trunc(Number(given))
        return count > 0 ? Math.min(count, most) : fallback
      }),
      v.number(),
      v.minValue(1),
      v.maxValue(most),
    ),
    fallback,
  )
}
