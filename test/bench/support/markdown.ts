import { type Bench, isMet, type Report, type Table, type Target } from './bench.ts'
import { withSpread } from './figures.ts'

/** The section of a bench, from its heading to a blank line at its end. */
export function sectionOf({ name, about }: Bench, { tables, targets, notes }: Report, made: string): string {
  const parts = [`## ${name}`, `${about}\n\n${made}`, ...tables.map(tableText)]
  if (targets.length > 0) parts.push(tableText(targetTable(targets)))
  return `${[...parts, ...notes].join('\n\n')}\n\n`
}

/** Key targets are set in bold, by which the summary finds them. */
function targetTable(targets: readonly Target[]): Table {
  return {
    columns: ['Target', 'wanted', 'reached', ''],
    rows: targets.map((target) => [
      target.isKey ? `**${target.what}**` : target.what,
      `${target.bound} ${target.wanted} ${target.unit}`,
      `${withSpread(target.reached)} ${target.unit}`,
      isMet(target) ? 'met' : '**missed**',
    ]),
  }
}

/** A table whose columns are aligned in the text as well: words to the left, figures to the right. */
export function tableText({ columns, rows }: Table): string {
  const widths = columns.map((column, at) =>
    Math.max(3, ...[column, ...rows.map((row) => row[at] ?? '')].map(width)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => pad(cell, at, widths)).join(' | ')} |`
  const rule = widths.map((wide, at) => (at === 0 ? '-'.repeat(wide) : `${'-'.repeat(wide - 1)}:`))
  return [line(columns), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n')
}

const width = (text: string) => [...text].length

function pad(cell: string, at: number, widths: readonly number[]): string {
  const blanks = ' '.repeat(Math.max(0, (widths[at] ?? 0) - width(cell)))
  return at === 0 ? cell + blanks : blanks + cell
}

/**
 * The sections of a report in the order of `names`: those given, else those that the report has, which may be older.
 */
export function merge(
  report: string,
  sections: ReadonlyMap<string, string>,
  names: readonly string[],
): Map<string, string> {
  const old = report.split(/^(?=## )/m)
  const kept = new Map(old.map((section) => [/^## (.*)$/m.exec(section)?.[1] ?? '', section]))
  const chosen = names.map((name) => [name, sections.get(name) ?? kept.get(name) ?? ''] as const)
  return new Map(chosen.filter(([, section]) => section !== ''))
}
