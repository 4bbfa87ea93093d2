import type { Element, ElementContent } from 'hast'
import { parse } from 'yaml'
import { icon } from '../html/icons.ts'
import { element } from '../html/tree.ts'

/** The settings at the start of a text. */
export interface FrontMatter {
  readonly fields: ReadonlyMap<string, unknown>
  /** Length of the block in UTF-16 units, including its closing line. */
  readonly length: number
  readonly display: 'none' | 'table' | 'details'
  /** Whether to add a table of contents. */
  readonly contents: boolean
  readonly lang: string | undefined
}

/** A longer block is not front matter but a document between two rules. */
const maxLength = 64 * 1024

/** The YAML mapping between two lines of three hyphens or more at the very start; undefined for ordinary text. */
export function readFrontMatter(source: string): FrontMatter | undefined {
  const [block, yaml] = /^ *-{3,} *\n([\s\S]*?\n) *-{3,} *(?:\n|$)/.exec(source.slice(0, maxLength)) ?? []
  if (block === undefined || yaml === undefined) return undefined
  const fields = readMapping(yaml)
  if (fields === undefined || fields.size === 0) return undefined
  const settings = fields.get('gitea')
  const setting = (name: string) => (settings instanceof Map ? settings.get(name) : undefined)
  const toc = setting('include_toc') ?? fields.get('include_toc')
  const lang = setting('lang') ?? fields.get('lang')
  return {
    fields,
    length: block.length,
    display: displayOf(settings instanceof Map ? setting('meta') : settings),
    contents: toc === 'true' || toc === 'main',
    lang: typeof lang === 'string' && lang !== '' ? lang : undefined,
  }
}

function displayOf(value: unknown): FrontMatter['display'] {
  const name = typeof value === 'string' ? value.trim().toLowerCase() : ''
  return name === 'none' || name === 'table' ? name : 'details'
}

function readMapping(yaml: string): Map<string, unknown> | undefined {
  try {
    const value: unknown = parse(yaml, {
      logLevel: 'error',
      maxAliasCount: 20,
      // Every value is shown as it is written.
      schema: 'failsafe',
      mapAsMap: true,
    })
    if (!(value instanceof Map)) return undefined
    return new Map([...value].map(([key, field]) => [String(key), field]))
  } catch {
    // Not YAML, so not front matter.
    return undefined
  }
}

/** The settings as the web client shows them; undefined with `gitea: none`. */
export function showFrontMatter(matter: FrontMatter): Element | undefined {
  if (matter.display === 'none') return undefined
  const table = mappingTable(matter.fields, 0)
  if (matter.display === 'table') return table
  const keys = [...matter.fields.keys()].join(', ')
  const summary = element('summary', {}, icon('table', 'svg octicon-table', 12), ` ${keys}`)
  return element('details', { className: ['frontmatter-content'] }, summary, table)
}

function mappingTable(fields: ReadonlyMap<unknown, unknown>, depth: number): Element {
  const heads = [...fields.keys()].map((key) => element('th', {}, String(key)))
  const cells = [...fields.values()].map((value) => element('td', {}, ...show(value, depth)))
  return element(
    'table',
    {},
    element('thead', {}, element('tr', {}, ...heads)),
    element('tbody', {}, element('tr', {}, ...cells)),
  )
}

/** Nested settings become nested tables, a list one with a row for each entry; more than eight levels are cut off. */
function show(value: unknown, depth: number): (ElementContent | string)[] {
  if (value === null || value === undefined || depth > 8) return []
  if (value instanceof Map) return [mappingTable(value, depth + 1)]
  if (!Array.isArray(value)) return [String(value)]
  const rows = value.map((entry: unknown) => element('tr', {}, element('td', {}, ...show(entry, depth + 1))))
  return [element('table', {}, element('tbody', {}, ...rows))]
}
