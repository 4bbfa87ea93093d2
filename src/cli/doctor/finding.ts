import { printable } from '../../common/printable.ts'

/** The result of one check. */
export interface Finding {
  check: string
  state: 'ok' | 'warning' | 'failed'
  /** The state that the check has observed. */
  found: string
  /** What the operator should do; absent if nothing. */
  advice?: string
}

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found })

export const warning = (check: string, found: string, advice: string): Finding => ({
  check,
  state: 'warning',
  found,
  advice,
})

export const failed = (check: string, found: string, advice: string): Finding => ({
  check,
  state: 'failed',
  found,
  advice,
})

/** A table for people, the advice on a line of its own. */
export function tableOf(findings: readonly Finding[]): string[] {
  const width = Math.max(...findings.map(({ check }) => check.length))
  return findings.flatMap(({ check, state, found, advice }) => [
    `${state.padEnd(7)}  ${check.padEnd(width)}  ${printable(found)}`,
    ...(advice === undefined ? [] : [`${' '.repeat(width + 11)}→ ${printable(advice)}`]),
  ])
}

/** The first names, and the number of the others. */
export function someOf(names: readonly string[], maximum = 5): string {
  const more = names.length - maximum
  return names.slice(0, maximum).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
