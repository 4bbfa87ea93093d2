import type { Root } from 'hast'
import { renderNotebook } from './formats/notebook.ts'
import { renderOrg } from './formats/org.ts'
import { renderTable } from './formats/table.ts'
import { looksLikeTerminal, renderTerminal } from './formats/terminal.ts'

/** How a file is rendered, chosen by its name, else by its content. */
export type FileKind = 'markdown' | 'org' | 'table' | 'terminal' | 'notebook'

const kinds: Record<string, FileKind> = {
  md: 'markdown',
  markdown: 'markdown',
  mdown: 'markdown',
  mkd: 'markdown',
  livemd: 'markdown',
  org: 'org',
  csv: 'table',
  tsv: 'table',
  'sh-session': 'terminal',
  ipynb: 'notebook',
}

/** The kind of a file; undefined without a renderer for it. An empty path has none. */
export function fileKind(filePath: string, source: string): FileKind | undefined {
  const base = filePath.slice(filePath.lastIndexOf('/') + 1).toLowerCase()
  if (base === '') return undefined
  const extension = base.includes('.') ? base.slice(base.lastIndexOf('.') + 1) : ''
  const kind = Object.hasOwn(kinds, extension) ? kinds[extension] : undefined
  return kind ?? (looksLikeTerminal(source) ? 'terminal' : undefined)
}

/** The tree of a file other than Markdown; undefined when the content does not match its name. */
export function renderFile(
  kind: Exclude<FileKind, 'markdown'>,
  source: string,
  filePath: string,
  markdown: (text: string) => Root,
): Root | undefined {
  if (kind === 'org') return renderOrg(source)
  if (kind === 'table') return renderTable(source, filePath)
  if (kind === 'terminal') return renderTerminal(source)
  return renderNotebook(source, markdown)
}
