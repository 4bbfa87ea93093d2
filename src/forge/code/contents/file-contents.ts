import * as v from 'valibot'
import { isStoredPath } from '../../../git/program/names.ts'
import { badRequest, found } from '../../../http/route/problem.ts'
import { json } from '../../../http/route/sends.ts'
import { queryText } from '../../protocol/query.ts'
import { codeSeen } from '../../repos/access.ts'
import { type CodeContext, openCode } from '../../repos/code.ts'
import { route } from '../../route.ts'
import { ContentsResponse } from './contents.shape.ts'
import { requestedRevision } from './contents-at.ts'
import { contentsOfEntry, type RequestedRevision } from './contents-of.ts'
import { GetFilesOptions } from './file-contents.option.ts'

/** Several files at once. */

const reading = {
  access: codeSeen(),
  fails: [404, 503],
  returns: json(200, v.array(v.nullable(ContentsResponse))),
} as const

export const repoGetFileContents = route('GET /repos/{owner}/{repo}/file-contents', {
  ...reading,
  summary: 'Several files with their contents, in the order of the request; null for a missing file',
  fails: [400, ...reading.fails],
  query: { ref: queryText, body: queryText },
  shared: 'until written',
  handler: ({ query: { ref, body }, ...context }) => filesAt(context, { paths: pathsIn(body), ref }),
})

export const repoGetFileContentsPost = route('POST /repos/{owner}/{repo}/file-contents', {
  ...reading,
  summary: 'The same, for lists that are too long for a URL; tokens need the scope to write',
  query: { ref: queryText },
  body: GetFilesOptions,
  handler: ({ query: { ref }, body, ...context }) => filesAt(context, { paths: body.files, ref }),
})

/** @throws Problem 404, 503 */
async function filesAt(context: CodeContext, { paths, ref }: { paths: readonly string[]; ref: string }) {
  const code = await openCode(context)
  return contentsOfFiles(found(await requestedRevision(code, ref), 'the repository is empty'), paths)
}

/** Maximum number of files in one answer. */
const maxFiles = 30
/** Maximum characters of their contents in base64. One file always fits. */
const maxCharacters = 16 * 1024 * 1024

/**
 * Files by their paths, with their contents; null for a missing file. The list ends before the answer would be too large.
 * Reads one file after another, so that one request does not take all slots of git.
 * @throws Problem 503
 */
async function contentsOfFiles(
  requested: RequestedRevision,
  paths: readonly string[],
): Promise<(ContentsResponse | null)[]> {
  const files: (ContentsResponse | null)[] = []
  let left = maxCharacters
  for (const path of paths.slice(0, maxFiles)) {
    const file = isStoredPath(path)
      ? await contentsOfEntry(requested, path, { content: true, commit: true })
      : null
    left -= file?.content?.length ?? 0
    if (left < 0) break
    files.push(file ?? null)
  }
  return files
}

/** The list in `{"files":["a","b"]}`. @throws Problem 400 */
function pathsIn(text: string): readonly string[] {
  const parsed = v.safeParse(FileList, text)
  if (parsed.success) return parsed.output.files ?? []
  throw badRequest('invalid body parameter')
}

const FileList = v.pipe(
  v.string(),
  v.parseJson(),
  v.check((value) => !Array.isArray(value)),
  v.object({ files: v.optional(v.nullable(v.array(v.string()))) }),
)
