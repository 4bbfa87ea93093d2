import { isStoredPath } from '../../git/program/names.ts'
import { objectAt } from '../../git/repository/revisions.ts'
import { hasFewFiles } from '../../git/repository/tree.ts'
import { attachment } from '../../http/pipeline/attachment.ts'
import { badRequest, found, unprocessable } from '../../http/route/problem.ts'
import type { Stream } from '../../http/route/results.ts'
import { type Code, type CodeContext, commitOfRevision, gitValue, openCode } from '../repos/code.ts'
import { sendOutput } from './git-output.ts'

type Format = 'zip' | 'tar.gz' | 'bundle'

/** A commit as one file. */
interface Archive {
  /** A branch, tag or commit. */
  ref: string
  format: Format
  /** Only the files at these paths; empty: all files. */
  paths: readonly string[]
}

/** The archive of a name that ends in a format. @throws Problem 400 another ending */
export function archiveNamed(name: string, paths: readonly string[] = []): Archive {
  const [, ref, format] = /^(.+)\.(zip|tar\.gz|bundle)$/s.exec(name) ?? []
  if (ref === undefined) throw badRequest(`unknown format: ${name.slice(0, 100)}`)
  return { ref, format: format as Format, paths }
}

/**
 * Sends the files of a commit, in a folder with the name of the repository, or the commit with its history as a bundle,
 * as git writes them, without storing the archive or holding it in memory.
 * @throws Problem 400 paths that do not exist, 404, 422 too many files, 503
 */
export async function archiveOf(context: CodeContext, { ref, format, paths }: Archive): Promise<Stream> {
  const code = await openCode(context)
  const commit = found(await commitOfRevision(code, ref), `unrecognized repository reference: ${ref}`)
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': attachment(`${code.row.name}-${ref.replaceAll('/', '-')}.${format}`),
  }
  if (format === 'bundle' && paths.length > 0)
    throw badRequest('cannot specify paths when requesting a bundle')
  await requirePaths(code, commit, paths)
  if (format !== 'bundle' && !gitValue(await hasFewFiles(code, commit, maxFiles)))
    throw unprocessable(`the commit has more than ${maxFiles} files; clone the repository to get them`)
  const output = format === 'bundle' ? bundle(code, commit) : files(code, commit, { format, paths })
  return (req, res) =>
    sendOutput({ req, res }, code, { ...output, headers, kind: format === 'bundle' ? 'long' : 'archive' })
}

const files = (
  { row }: Code,
  commit: string,
  { format, paths }: { format: 'zip' | 'tar.gz'; paths: readonly string[] },
) => {
  const archive = ['archive', `--format=${format}`, `--prefix=${row.name.toLowerCase()}/`, commit]
  return { args: ['--literal-pathspecs', ...archive, '--', ...paths] }
}

/** A bundle (gitformat-bundle(5)) is a list of refs with a pack behind it, so the repository needs no new ref for it. */
const bundle = ({ row }: Code, commit: string) => ({
  args: ['pack-objects', '--stdout', '--revs', '--delta-base-offset', '-q'],
  input: `${commit}\n`,
  head: `${signatures[row.object_format]}${commit} refs/heads/bundle\n${commit} HEAD\n\n`,
})

const signatures = {
  sha1: '# v2 git bundle\n',
  sha256: '# v3 git bundle\n@object-format=sha256\n',
} as const

/** Maximum number of files of a commit: a few small trees can name billions. */
const maxFiles = 2_000_000

/** Maximum number of paths: they are arguments of a program. */
const maxPaths = 100

/** @throws Problem 400, 503 */
async function requirePaths(code: Code, commit: string, paths: readonly string[]): Promise<void> {
  if (paths.length > maxPaths) throw badRequest(`a request may name at most ${maxPaths} paths`)
  for (const path of paths) {
    const exists = isStoredPath(path) && gitValue(await objectAt(code, commit, path)) !== undefined
    if (!exists) throw badRequest("path doesn't exist or is invalid")
  }
}
