import * as v from 'valibot'
import { type Document, isNode, LineCounter, parseDocument } from 'yaml'

const hexColor = v.pipe(
  v.string('must be text'),
  v.transform((color) => color.trim().replace(/^#/, '').toLowerCase()),
  v.transform((hex) => (hex.length === 3 ? hex.replaceAll(/./g, '$&$&') : hex)),
  v.regex(/^[0-9a-f]{6}$/, 'must be three or six hexadecimal digits'),
)

const boolean = v.picklist(['true', 'True', 'TRUE', 'false', 'False', 'FALSE'], 'must be true or false')

/** One entry of a file, values as written: see {@link readLabelYaml}. */
const Label = v.pipe(
  v.object({
    name: v.pipe(v.string('must be text'), v.trim(), v.nonEmpty('must not be empty')),
    color: hexColor,
    description: v.optional(v.pipe(v.string('must be text'), v.trim()), ''),
    exclusive: v.optional(boolean, 'false'),
    exclusive_order: v.optional(v.pipe(v.string(), v.regex(/^\d{1,9}$/, 'must be a whole number')), '0'),
  }),
  v.transform(
    ({ exclusive, exclusive_order, ...label }): LabelTemplate => ({
      ...label,
      exclusive: exclusive.toLowerCase() === 'true',
      exclusiveOrder: Number(exclusive_order),
    }),
  ),
)

const LabelList = v.object({ labels: v.array(Label, 'must be a list') })

/** One label of a set for new repositories and organizations. */
export interface LabelTemplate {
  readonly name: string
  /** Six lower-case hex digits without `#`. */
  readonly color: string
  readonly description: string
  /** Whether it excludes the other labels of its scope, which is the part of the name before the last `/`. */
  readonly exclusive: boolean
  /** The rank among the exclusive labels of its scope, lowest first; 0 if the file gives none. */
  readonly exclusiveOrder: number
}

/** A fault in a file and its line (from 1). */
interface LineFault {
  readonly line: number
  readonly message: string
}

/** The labels in the order of the file; only meaningful without faults. */
interface LabelFile {
  readonly labels: readonly LabelTemplate[]
  readonly faults: readonly LineFault[]
}

/**
 * Reads a label set in YAML: `labels:`, a list of maps with `name`, `color` (three or six hex digits, with or without
 * `#`), `description`, `exclusive` and `exclusive_order`; the first two are required. Other keys are ignored, as in the
 * original.
 */
export function readLabelYaml(text: string): LabelFile {
  const lines = new LineCounter()
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line)
  // Schema without types: a plain `5319e7` is a colour here, but the number 53190000000 in YAML's core schema.
  const document = parseDocument(text, { schema: 'failsafe', lineCounter: lines, prettyErrors: false })
  const faults = document.errors.map(({ pos, message }) => ({ line: lineAt(pos[0]), message }))
  if (faults.length > 0) return { labels: [], faults }

  const data = plainData(document)
  if (data instanceof Error) return { labels: [], faults: [{ line: 1, message: data.message }] }
  const checked = v.safeParse(LabelList, data)
  const lineOf = (path: readonly unknown[]) => lineAt(offsetOf(document, path))
  if (checked.success) return withoutRepeats(checked.output.labels, (at) => lineOf(['labels', at]))
  return { labels: [], faults: checked.issues.map((issue) => fault(issue, lineOf(keys(issue)))) }
}

/** The data of the file with its aliases resolved, or the error if an alias has no anchor or there are far too many. */
function plainData(document: Document): unknown {
  try {
    return document.toJS()
  } catch (error) {
    if (error instanceof ReferenceError) return error
    throw error
  }
}

/** Reads a label set in the older form: one label per line, `#color name ; description`. */
export function readLabelLines(text: string): LabelFile {
  const rows = text.split(/\r?\n/).map((row, at) => ({ row: row.trim(), line: at + 1 }))
  const filled = rows.filter(({ row }) => row !== '')
  const checked = filled.map(({ row, line }) => {
    const [color = ''] = row.split(/\s/, 1)
    const [name = '', ...description] = row.slice(color.length).split(';')
    return { line, result: v.safeParse(Label, { color, name, description: description.join(';') }) }
  })
  const labels = checked.flatMap(({ result }) => (result.success ? [result.output] : []))
  const faults = checked.flatMap(({ line, result }) =>
    (result.issues ?? []).map((issue) => fault(issue, line)),
  )
  return faults.length > 0 ? { labels, faults } : withoutRepeats(labels, (at) => filled[at]?.line ?? 1)
}

/** The labels; a repeated name is a fault. */
function withoutRepeats(labels: readonly LabelTemplate[], lineOf: (at: number) => number): LabelFile {
  const first = new Map([...labels.entries()].reverse().map(([at, { name }]) => [name, at]))
  const faults = [...labels.entries()]
    .filter(([at, { name }]) => first.get(name) !== at)
    .map(([at, { name }]) => ({ line: lineOf(at), message: `the file has the label "${name}" twice` }))
  return { labels, faults }
}

type Issue = v.BaseIssue<unknown>

function keys(issue: Issue): unknown[] {
  return issue.path?.map((item) => item.key) ?? []
}

function fault(issue: Issue, line: number): LineFault {
  const key = keys(issue).findLast((part) => typeof part === 'string')
  if (issue.received === 'undefined') return { line, message: `${key} is missing` }
  if (issue.type === 'object')
    return { line, message: `${key === undefined ? 'the file' : 'a label'} must be a map` }
  return { line, message: `${key} ${issue.message}` }
}

/** Where the value of a path begins, or the value around it if it is missing. */
function offsetOf(document: Document, path: readonly unknown[]): number {
  for (let depth = path.length; depth > 0; depth--) {
    const node = document.getIn(path.slice(0, depth), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return 0
}
