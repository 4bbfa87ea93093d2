import { median, quantile } from './bench.ts'

/** A figure of two significant digits: the next one differs from run to run. */
export function rounded(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '–'
  return Number(value.toPrecision(2)).toLocaleString('en')
}

/** Two digits behind the point below ten, none above. */
export const precise = (value: number): string => value.toFixed(value < 10 ? 2 : 0)

/** The median and, of several values, the two quartiles: half of the values lie between those. */
export function withSpread(values: readonly number[]): string {
  if (values.length < 2) return precise(median(values))
  const [lower, upper] = [quantile(values, 0.25), quantile(values, 0.75)].map(precise)
  return `${precise(median(values))} (${lower}–${upper})`
}
