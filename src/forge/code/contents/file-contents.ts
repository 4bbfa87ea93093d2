import * as v from 'valibot'
import { badRequest, found } from '../../../http/route/problem.ts'
import { json } from '../../../http/route/sends.ts'
import { queryText } from '../../protocol/query.ts'
import { codeSeen } from '../../repos/access.ts'
import { route } from '../../route.ts'
import { type CodeContext, openCode } from '../code.ts'
import { ContentsResponse } from './contents.shape.ts'
import { askedOf } from './contents-at.ts'
import { GetFilesOptions } from './file-contents.option.ts'
import { contentsOfFiles } from './files-asked.ts'

/** Several files at once. */

const reading = {
  access: codeSeen(),
  fails: [404, 503],
  returns: json(200, v.array(v.nullable(ContentsResponse))),
} as const

export const repoGetFileContents = route('GET /repos/{owner}/{repo}/file-contents', {
  ...reading,
  summary: 'Several files with their contents, in the order of the request; null where there is none',
  fails: [400, ...reading.fails],
  query: { ref: queryText, body: queryText },
  shared: 'until written',
  handler: ({ query: { ref, body }, ...context }) =>
    filesAt(context, { paths: pathsIn(body), ref }, { isShared: true }),
})

export const repoGetFileContentsPost = route('POST /repos/{owner}/{repo}/file-contents', {
  ...reading,
  summary: 'The same, for lists that are too long for a URL; tokens need the scope to write',
  query: { ref: queryText },
  body: GetFilesOptions,
  handler: ({ query: { ref }, body, ...context }) => filesAt(context, { paths: body.files, ref }),
})

/** @throws Problem 404, 503 */
async function filesAt(
  context: CodeContext,
  { paths, ref }: { paths: readonly string[]; ref: string },
  { isShared = false } = {},
) {
  const code = await openCode(context, { isShared })
  const asked = found(await askedOf(code, ref), 'the repository is empty')
  return contentsOfFiles(asked, paths)
}

/** The list in `{"files":["a","b"]}`. @throws Problem 400 */
function pathsIn(text: string): readonly string[] {
  const read = v.safeParse(filesAsked, text)
  if (read.success) return read.output.files ?? []
  throw badRequest('invalid body parameter')
}

const filesAsked = v.pipe(
  v.string(),
  v.parseJson(),
  v.check((read) => !Array.isArray(read)),
  v.object({ files: v.optional(v.nullable(v.array(v.string()))) }),
)
