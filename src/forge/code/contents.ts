import * as v from 'valibot'
import { notFound } from '../../http/route/problem.ts'
import { queryText } from '../protocol/query.ts'
import { codeSeen } from '../repos/access.ts'
import { route } from '../route.ts'
import { type CodeContext, openCode } from './code.ts'
import { ContentsResponse } from './contents.shape.ts'
import { contentsOfEntry, contentsOfFolder, pathAsked } from './contents-of.ts'
import { revisionNamed } from './revision.ts'

/** Folders and files. */

const reading = {
  access: codeSeen(),
  query: { ref: queryText },
  fails: [400, 404, 503],
  shared: 'until written',
} as const

export const repoGetContentsList = route('GET /repos/{owner}/{repo}/contents', {
  ...reading,
  fails: [404, 503],
  summary: 'The entries of the root folder',
  returns: [200, v.array(ContentsResponse)],
  handler: async ({ query, ...context }) => {
    const list = await contentsAt(context, { path: '', ref: query.ref })
    return Array.isArray(list) ? list : [list]
  },
})

export const repoGetContents = route('GET /repos/{owner}/{repo}/contents/{filepath...}', {
  ...reading,
  summary: 'A file with its content, or the entries of a folder',
  returns: [200, v.union([ContentsResponse, v.array(ContentsResponse)])],
  handler: ({ params, query, ...context }) =>
    contentsAt(context, { path: pathAsked(params.filepath), ref: query.ref }),
})

/** @throws Problem 404, 503 */
async function contentsAt(
  context: CodeContext,
  { path, ref }: { path: string; ref: string },
): Promise<ContentsResponse | ContentsResponse[]> {
  const code = await openCode(context, { isShared: true })
  const revision = await revisionNamed(code, ref)
  if (!revision && path === '') return []
  const asked = revision && { code, revision, asked: ref || revision.ref }
  const included = { content: true, commit: true }
  const contents =
    asked &&
    ((await contentsOfFolder(asked, path, included)) ?? (await contentsOfEntry(asked, path, included)))
  if (contents) return contents
  throw notFound(`object does not exist [id: , rel_path: ${path}]`)
}
