import * as v from 'valibot'
import { parseDuration } from './units.ts'

// Schemas for the values of environment variables. Their messages follow the name of the variable.

/** An integer within bounds. */
export function integer(from: number, to: number) {
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,9}$/, 'must be an integer'),
    v.transform(Number),
    v.minValue(from, `must be at least ${from}`),
    v.maxValue(to, `must be at most ${to}`),
  )
}

/** A quantity with a unit, read by `parse`, which returns undefined for invalid text. */
export function quantity(parse: (text: string) => number | undefined, words: string) {
  return v.pipe(
    v.string(),
    v.rawTransform<string, number>(({ dataset, addIssue, NEVER }) => {
      const amount = parse(dataset.value)
      if (amount !== undefined && amount > 0) return amount
      addIssue({ message: words })
      return NEVER
    }),
  )
}

/** A URL with one of these protocols. */
export function address(protocols: readonly string[], words: string) {
  return v.pipe(
    v.string(),
    v.check((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), words),
  )
}

/** Whether every percent sign of a text begins a valid escape. */
export function decodes(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** A value read by `parse`, which returns the value, or a fault that follows the name of the variable. */
export function read<Value>(parse: (text: string) => { value: Value } | { fault: string }) {
  return v.pipe(
    v.string(),
    v.rawTransform<string, Value>(({ dataset, addIssue, NEVER }) => {
      const outcome = parse(dataset.value)
      if ('value' in outcome) return outcome.value
      addIssue({ message: outcome.fault })
      return NEVER
    }),
  )
}

/** A duration of at most an hour: timers, and the limits of PostgreSQL, end at 2³¹ milliseconds. */
export const timeout = (example: string) =>
  v.pipe(
    quantity(parseDuration, `must be a duration such as ${example}`),
    v.maxValue(3_600_000, 'must be at most 1h'),
  )
