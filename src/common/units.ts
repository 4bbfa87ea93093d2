const durations: Readonly<Record<string, number>> = { ms: 1, s: 1e3, m: 60e3, h: 3_600e3, d: 86_400e3 }
const sizes: Readonly<Record<string, number>> = { '': 1, b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

/** A hundred years: dates can still express a time that far away. */
const maxDuration = 36_525 * 86_400e3

/** `30s`, `15m`, `2h`, `1.5d` in milliseconds; undefined for anything else, and above a hundred years. */
export function parseDuration(text: string): number | undefined {
  const duration = parseUnit(text, /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/, durations)
  return duration !== undefined && duration <= maxDuration ? duration : undefined
}

/** `1048576`, `512k`, `1m`, `1g` (of 1024) in bytes; undefined for anything else. */
export function parseSize(text: string): number | undefined {
  return parseUnit(text, /^(\d+(?:\.\d+)?)(b|k|m|g|)$/i, sizes)
}

function parseUnit(text: string, form: RegExp, units: Readonly<Record<string, number>>): number | undefined {
  const [, amount, unit] = form.exec(text.trim()) ?? []
  const factor = units[unit?.toLowerCase() ?? '?']
  return factor === undefined ? undefined : Math.round(Number(amount) * factor)
}

let lastTime = 0
let lastMoment = ''

/** A time in milliseconds as `2026-01-31T08:00:00.000Z`. Cached, since many lines and rows share one millisecond. */
export function isoMoment(time: number): string {
  if (time !== lastTime) lastMoment = new Date(time).toISOString()
  lastTime = time
  return lastMoment
}
