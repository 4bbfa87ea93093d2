import { attachment } from '../../http/pipeline/attachment.ts'
import { badRequest, found } from '../../http/route/problem.ts'
import type { Stream } from '../../http/route/results.ts'
import { type CodeContext, commitNamed, openCode } from './code.ts'
import { sendOutput } from './git-output.ts'

/**
 * Sends the files of a commit, in a folder with the name of the repository, as git writes them: nothing of the archive
 * is stored or waits in memory. `name`: a branch, tag or commit with `.zip` or `.tar.gz` at its end.
 * @throws Problem 400 another ending, 404, 503
 */
export async function archiveOf(context: CodeContext, name: string): Promise<Stream> {
  const [, ref, format] = /^(.+)\.(zip|tar\.gz)$/s.exec(name) ?? []
  if (ref === undefined || format === undefined) throw badRequest(`unknown format: ${name.slice(0, 100)}`)
  const code = await openCode(context)
  const commit = found(await commitNamed(code, ref), `unrecognized repository reference: ${ref}`)
  const args = ['archive', `--format=${format}`, `--prefix=${code.row.name.toLowerCase()}/`, commit]
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': attachment(`${code.row.name}-${ref.replaceAll('/', '-')}.${format}`),
  }
  return (req, res) => sendOutput({ req, res }, code, { args, headers, isLong: true })
}
