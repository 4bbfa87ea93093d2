import { queryChoice, queryText } from '../../forge/protocol/query.ts'
import { type Code, gitValue } from '../../forge/repos/code.ts'
import type { IgnoredSpace } from '../../git/program/diff-options.ts'
import { readDiff } from '../../git/repository/diff.ts'
import { type ChangedFile, changedFiles } from '../../git/repository/merging/changed-files.ts'
import { pageQuery } from '../../http/route/page.ts'
import { found } from '../../http/route/problem.ts'

/**
 * What a page shows at most: files, and lines of all of them and of one; a file with more lines is shown alone, up to
 * `alone`. Bytes are those that git writes.
 */
const maximum = { files: 100, lines: 5000, fileLines: 1000, alone: 20_000, bytes: 512 * 1024 }

/** Which part of a difference a page shows. */
export const differenceQuery = {
  page: pageQuery().page,
  whitespace: queryChoice('ignore-eol', 'ignore-change', 'ignore-all'),
  only: queryText,
}

export interface DifferenceQuery {
  page: number
  whitespace: '' | 'ignore-eol' | 'ignore-change' | 'ignore-all'
  /** The path of a file that is shown alone; "": a page of files. */
  only: string
  /** The path of a file that decides which page is shown; absent or "": `page` does. */
  path?: string
}

const ignoredSpaces: Readonly<Record<DifferenceQuery['whitespace'], IgnoredSpace>> = {
  '': 'none',
  'ignore-eol': 'at end of line',
  'ignore-change': 'amount',
  'ignore-all': 'all',
}

/** A changed file of a page. */
export interface ShownFile extends ChangedFile {
  /** Its place among the files of the whole difference, counted from 1. */
  number: number
  /** Its lines as git writes them; undefined: the page has no room for them. */
  lines: readonly string[] | undefined
}

/** A page of the files that differ between two commits. */
export interface Difference {
  files: readonly ShownFile[]
  page: number
  limit: number
  total: number
  additions: number
  deletions: number
  /** Whether there are more files than git has listed. */
  isCut: boolean
  /** The paths of all files, before the change, too. */
  paths: ReadonlySet<string>
}

/** The commits that are compared; `before` may be a tree. */
interface Span {
  before: string
  after: string
}

/** Reads the part of a difference that a page shows: the list of all files, and the lines of some. @throws Problem 404, 503 */
export async function readDifference(code: Code, span: Span, query: DifferenceQuery): Promise<Difference> {
  const ignored = ignoredSpaces[query.whitespace]
  const { files, isCut } = gitValue(await changedFiles(code, { ...span, ignored }))
  const numbered = files.map((file, at) => ({ ...file, number: at + 1, lines: undefined }))
  const total = files.length
  const named = query.path ? numbered.find(({ path }) => path === query.path)?.number : undefined
  const wanted = named === undefined ? query.page : Math.ceil(named / maximum.files)
  const page = Math.min(wanted, Math.max(1, Math.ceil(total / maximum.files)))
  const first = (page - 1) * maximum.files
  const shown =
    query.only === ''
      ? numbered.slice(first, first + maximum.files)
      : [found(numbered.find(({ path }) => path === query.only))]
  const read = await linesOf(code, span, { ignored, files: withRoom(shown, query.only !== '') })
  return {
    files: shown.map((file) => ({ ...file, lines: read.get(file.path) })),
    page,
    limit: maximum.files,
    total,
    additions: sumOf(files, 'additions'),
    deletions: sumOf(files, 'deletions'),
    isCut,
    paths: new Set(files.flatMap(({ path, previous }) => [path, previous ?? path])),
  }
}

const sumOf = (files: readonly ChangedFile[], member: 'additions' | 'deletions') =>
  files.reduce((sum, file) => sum + file[member], 0)

/** The files whose lines fit on the page. */
function withRoom(files: readonly ShownFile[], isAlone: boolean): ShownFile[] {
  let left = isAlone ? maximum.alone : maximum.lines
  const most = isAlone ? maximum.alone : maximum.fileLines
  return files.filter(({ path, additions, deletions }) => {
    const lines = additions + deletions
    // Git finds no path that is no text.
    if (lines > most || lines > left || path.includes('\ufffd')) return false
    left -= lines
    return true
  })
}

/** By path; files that git had to leave out are missing. @throws Problem 404, 503 */
async function linesOf(
  code: Code,
  span: Span,
  { ignored, files }: { ignored: IgnoredSpace; files: readonly ShownFile[] },
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (files.length === 0) return new Map()
  const paths = files.flatMap(({ path, previous }) => (previous === undefined ? [path] : [path, previous]))
  const read = { ...span, ignored, renames: true, maxBytes: maximum.bytes, paths }
  const diff = gitValue(await readDiff(code, read))
  // Of the last one a part is missing.
  const whole = diff.isCut ? diff.files.slice(0, -1) : diff.files
  const lines = new Map(whole.map((file) => [file.path, file.lines]))
  // Git writes nothing about a file in which only ignored white space differs.
  if (!diff.isCut) for (const { path } of files) if (!lines.has(path)) lines.set(path, [])
  return lines
}
