import type { Sink } from '../../src/log.ts'

/** A log that keeps its lines. */
export interface KeptLines extends Sink {
  lines: () => Record<string, unknown>[]
}

export function keepLines(): KeptLines {
  const texts: string[] = []
  return {
    write: (text) => texts.push(text),
    lines: () =>
      texts
        .join('')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  }
}
