import { type Bench, isMet, type Report, type Table, type Target } from './bench.ts'

/** The section of a bench, from its heading to a blank line at its end. */
export function sectionOf({ name, about }: Bench, { tables, targets, notes }: Report, made: string): string {
  const parts = [`## ${name}`, `${about}\n\n${made}`, ...tables.map(tableText)]
  if (targets.length > 0) parts.push(tableText(targetTable(targets)))
  return `${[...parts, ...notes].join('\n\n')}\n\n`
}

function targetTable(targets: readonly Target[]): Table {
  const shown = (value: number) => (value < 10 ? value.toFixed(2) : value.toFixed(0))
  return {
    columns: ['Target', 'wanted', 'reached', ''],
    rows: targets.map((target) => [
      target.what,
      `${target.bound} ${target.wanted} ${target.unit}`,
      `${shown(target.reached)} ${target.unit}`,
      isMet(target) ? 'met' : '**missed**',
    ]),
  }
}

/** A table whose columns are aligned in the text as well: words to the left, figures to the right. */
function tableText({ columns, rows }: Table): string {
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

/** Puts sections into a report: in place of those of the same name, which may be older, and in the order of `names`. */
export function merge(
  report: string,
  sections: ReadonlyMap<string, string>,
  names: readonly string[],
): string {
  const [head = '', ...old] = report.split(/^(?=## )/m)
  const kept = new Map(old.map((section) => [/^## (.*)$/m.exec(section)?.[1] ?? '', section]))
  const chosen = names.flatMap((name) => sections.get(name) ?? kept.get(name) ?? [])
  return `${[head, ...chosen].join('').trimEnd()}\n`
}
