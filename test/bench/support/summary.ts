import { tableText } from './markdown.ts'

/** The first section of the report: the key targets of all others, and the targets that are missed. */
export function summaryOf(sections: ReadonlyMap<string, string>): string {
  const rows = [...sections].flatMap(([name, section]) => {
    const day = /^Measured ([\d-]+)/m.exec(section)?.[1] ?? '–'
    return shownTargets(section).map((cells) => [...cells, `[${name}](#${name})`, day])
  })
  const table = tableText({ columns: ['Target', 'wanted', 'reached', '', 'section', 'measured'], rows })
  return `## Summary\n\n${table}\n\n`
}

/** The rows of a section's table of targets that are key or missed, without the marks of bold text. */
function shownTargets(section: string): string[][] {
  const [, table = ''] = /^\| Target .*\n\|[- :|]+\n((?:\|.*\n)*)/m.exec(section) ?? []
  const rows = table.split('\n').filter((line) => line.includes('**'))
  return rows.map((line) => line.split('|').slice(1, -1).map(withoutMarks))
}

function withoutMarks(cell: string, at: number): string {
  return at === 0 ? cell.trim().replaceAll('**', '') : cell.trim()
}
