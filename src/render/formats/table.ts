import { parse } from 'csv-parse/sync'
import type { Element, Root } from 'hast'
import { element } from '../html/tree.ts'

const maxLength = 512 * 1024
const maxRows = 2500

/** A file of separated values as a table: the first row is the head, the first column numbers the lines. */
export function renderTable(source: string, filePath: string): Root {
  const delimiter = filePath.toLowerCase().endsWith('.tsv') ? '\t' : guessDelimiter(source)
  const cut = source.length > maxLength ? source.slice(0, source.lastIndexOf('\n', maxLength) + 1) : source
  const rows = readRows(cut, delimiter)
  const shown = rows.slice(0, maxRows).map(showRow)
  const table = element('table', { className: ['data-table'] }, ...shown)
  if (shown.length === rows.length && cut.length === source.length) return { type: 'root', children: [table] }
  const notice = element('table', { className: ['data-table'] })
  notice.children.push(element('tr', {}, element('td', {}, `Only the first ${shown.length} rows are shown.`)))
  return { type: 'root', children: [table, notice] }
}

function readRows(source: string, delimiter: string): string[][] {
  const rows: unknown = parse(source, {
    bom: true,
    delimiter,
    to: maxRows + 1,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
  })
  return Array.isArray(rows) ? rows.map((row: unknown) => (Array.isArray(row) ? row.map(String) : [])) : []
}

function showRow(fields: string[], index: number): Element {
  const name = index === 0 ? 'th' : 'td'
  const number = element(name, { className: ['line-num'] }, String(index + 1))
  return element('tr', {}, number, ...fields.map((field) => element(name, {}, field)))
}

const delimiters = [',', ';', '\t', '|', '@']

/** The character that splits most of the first lines into the same number of fields, more than one. */
function guessDelimiter(source: string): string {
  const lines = source
    .slice(0, 10_000)
    .split('\n', 10)
    .filter((line) => line.trim() !== '')
  const unquoted = lines.map((line) => line.replace(/"(?:[^"]|"")*"/g, ''))
  const scored = delimiters.map((delimiter) => ({ delimiter, score: scoreOf(unquoted, delimiter) }))
  scored.sort((a, b) => b.score - a.score)
  return scored[0]?.delimiter ?? ','
}

function scoreOf(lines: readonly string[], delimiter: string): number {
  const counts = lines.map((line) => line.split(delimiter).length - 1)
  const [first = 0] = counts
  if (first === 0) return 0
  const equal = counts.filter((count) => count === first).length / counts.length
  return equal * 1000 + Math.min(first, 100)
}
