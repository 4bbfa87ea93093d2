import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode, messageOf, OperatorError } from '../../common/errors.ts'
import { type LabelTemplate, readLabelLines, readLabelYaml } from './label-file.ts'

/** The operator's own items, read and validated. */
export interface OperatorTemplates {
  readonly gitignore: ReadonlyMap<string, string>
  readonly label: ReadonlyMap<string, readonly LabelTemplate[]>
  readonly license: ReadonlyMap<string, string>
}

/** A fault that the operator must correct, printed as `file:line: sentence`. */
interface TemplateFault {
  readonly file: string
  /** From 1; absent if it concerns the whole file. */
  readonly line?: number
  readonly message: string
}

/** All faults in the operator's folder in one error, which the server prints at startup. */
export class TemplateFaults extends OperatorError {
  override readonly exitCode = 2
  override readonly details: readonly string[]

  constructor(faults: readonly TemplateFault[]) {
    super('TEMPLATES_DIR cannot be read')
    this.name = 'TemplateFaults'
    this.details = faults.map(({ file, line, message }) => `${file}${line ? `:${line}` : ''}: ${message}`)
  }
}

/** A file of the folder: its path, and its path in the collection with `/` between the parts. */
interface TemplateFile {
  readonly path: string
  readonly name: string
}

type Report = (fault: TemplateFault) => void

const collections = ['gitignore', 'label', 'license'] as const
const megabyte = 1 << 20

/**
 * Reads `<dir>/gitignore`, `<dir>/label` and `<dir>/license`, if they exist, with their subfolders. Skips `README.md`
 * and everything that begins with a dot, so that a checkout of a public collection works as it is. The name of an item
 * is its path in the collection without the ending (`.gitignore`; `.yaml`, `.yml` or `.txt`; `.txt`).
 * @throws {TemplateFaults} naming every fault, not only the first
 */
export function readOperatorTemplates(dir: string): OperatorTemplates {
  const faults: TemplateFault[] = []
  const report: Report = (fault) => faults.push(fault)
  checkFolder(dir, report)
  const texts = (name: string, ending: RegExp) =>
    readItems(listFiles(join(dir, name), report), ending, (file) => readText(file, report), report)
  const read: OperatorTemplates = {
    gitignore: texts('gitignore', /\.gitignore$/),
    label: readItems(
      listFiles(join(dir, 'label'), report),
      /\.(yaml|yml|txt)$/,
      (file) => readLabels(file, report),
      report,
    ),
    license: texts('license', /\.txt$/),
  }
  if (faults.length > 0) throw new TemplateFaults(faults)
  return read
}

/** A folder that has files but no collections is most likely the wrong one. */
function checkFolder(dir: string, report: Report): void {
  const names = entriesOf(dir, report).map((entry) => entry.name)
  if (names.length === 0 || collections.some((name) => names.includes(name))) return
  report({ file: dir, message: 'has none of the folders gitignore, label and license' })
}

function listFiles(folder: string, report: Report, prefix = ''): TemplateFile[] {
  if (prefix === '' && !existsSync(folder)) return []
  return entriesOf(folder, report).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.name.startsWith('.') || entry.name === 'README.md') return []
    if (entry.isDirectory()) return listFiles(path, report, `${prefix}${entry.name}/`)
    return [{ path, name: `${prefix}${entry.name}` }]
  })
}

function entriesOf(folder: string, report: Report): Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    const isFolder = !hasCode(error, 'ENOTDIR')
    report({
      file: folder,
      message: isFolder ? `cannot be listed: ${messageOf(error)}` : 'is not a folder',
    })
    return []
  }
}

function readItems<T>(
  files: readonly TemplateFile[],
  ending: RegExp,
  read: (file: TemplateFile) => T | undefined,
  report: Report,
): Map<string, T> {
  const items = new Map<string, T>()
  for (const file of files) {
    const name = file.name.replace(ending, '')
    if (items.has(name)) report({ file: file.path, message: `"${name}" also exists with another ending` })
    const item = read(file)
    if (item !== undefined) items.set(name, item)
  }
  return items
}

function readLabels(file: TemplateFile, report: Report): readonly LabelTemplate[] | undefined {
  const text = readText(file, report)
  if (text === undefined) return undefined
  const { labels, faults } = /\.ya?ml$/.test(file.path) ? readLabelYaml(text) : readLabelLines(text)
  for (const fault of faults) report({ file: file.path, ...fault })
  return labels
}

/** The text of a file of at most 1 MiB in UTF-8, without a byte order mark. */
function readText({ path }: TemplateFile, report: Report): string | undefined {
  try {
    const status = statSync(path)
    if (!status.isFile()) throw new Error('it is not a file')
    if (status.size > megabyte) throw new Error('it is larger than 1 MiB')
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    const message = error instanceof TypeError ? 'is not UTF-8 text' : `cannot be read: ${messageOf(error)}`
    report({ file: path, message })
    return undefined
  }
}
