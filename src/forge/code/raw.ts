import { commitOfId, divideRefPath, type PathInCommit } from '../../git/repository/revisions.ts'
import { found } from '../../http/route/problem.ts'
import { queryText } from '../protocol/query.ts'
import { codeSeen } from '../repos/access.ts'
import { type Code, type CodeContext, gitValue, openCode } from '../repos/code.ts'
import { route } from '../route.ts'
import { requestedPath } from './contents/contents-of.ts'
import { rawFile, sendsFile } from './raw-file.ts'
import { revisionNamed } from './revision.ts'

/** The bytes of files, as the pages send them. */

const sending = {
  access: codeSeen(),
  query: { ref: queryText },
  ...sendsFile,
  fails: [400, ...sendsFile.fails, 503],
  shared: 'until written',
} as const

export const repoGetRawFile = route('GET /repos/{owner}/{repo}/raw/{filepath...}', {
  ...sending,
  summary: 'The bytes of a file',
  handler: ({ params, query, ...context }) => fileAt(context, { path: params.filepath, ref: query.ref }),
})

export const repoGetRawFileOrLFS = route('GET /repos/{owner}/{repo}/media/{filepath...}', {
  ...sending,
  summary: 'The same as `raw`: this server has no Git LFS',
  handler: ({ params, query, ...context }) => fileAt(context, { path: params.filepath, ref: query.ref }),
})

/** @throws Problem 400, 404, 422 too large, 503 */
async function fileAt(context: CodeContext, request: { path: string; ref: string }) {
  const code = await openCode(context)
  const place = found(await requestedPlace(code, { ...request, path: requestedPath(request.path) }))
  return rawFile(context, code, place, { isDated: true })
}

/**
 * The place of a path: with `ref`, in that revision; otherwise below the branch, tag or commit that it begins with, or else
 * in the default branch. Undefined in an empty repository.
 * @throws Problem 404, 503
 */
async function requestedPlace(
  code: Code,
  { path, ref }: { path: string; ref: string },
): Promise<PathInCommit | undefined> {
  if (ref === '') {
    const place = (await placeBelowRef(code, path)) ?? (await placeBelowId(code, path))
    if (place) return place
  }
  const revision = await revisionNamed(code, ref)
  return revision && { ...revision, path }
}

async function placeBelowRef(code: Code, path: string): Promise<PathInCommit | undefined> {
  return (
    gitValue(await divideRefPath(code, 'heads', path)) ?? gitValue(await divideRefPath(code, 'tags', path))
  )
}

/** `HEAD/a.txt`, or the same with the whole id of a commit. */
async function placeBelowId(code: Code, path: string): Promise<PathInCommit | undefined> {
  const slash = path.indexOf('/')
  const [start, rest] = [path.slice(0, Math.max(slash, 0)), path.slice(slash + 1)]
  if (start === 'HEAD') {
    const revision = await revisionNamed(code, '')
    return revision && { ...revision, path: rest }
  }
  const commit = start.length < 40 ? undefined : gitValue(await commitOfId(code, start))
  return commit === undefined ? undefined : { commit, ref: commit, path: rest }
}
