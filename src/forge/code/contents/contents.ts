import * as v from 'valibot'
import { badRequest } from '../../../http/route/problem.ts'
import { json } from '../../../http/route/sends.ts'
import { queryText } from '../../protocol/query.ts'
import { codeSeen } from '../../repos/access.ts'
import { route } from '../../route.ts'
import { ContentsExtResponse, ContentsResponse } from './contents.shape.ts'
import { contentsAt } from './contents-at.ts'
import { type Included, requestedPath } from './contents-of.ts'

/** Folders and files. */

const reading = {
  access: codeSeen(),
  query: { ref: queryText },
  fails: [400, 404, 503],
  shared: 'until written',
} as const

const whole = { content: true, commit: true }

export const repoGetContentsList = route('GET /repos/{owner}/{repo}/contents', {
  ...reading,
  fails: [404, 503],
  summary: 'The entries of the root folder',
  returns: json(200, v.array(ContentsResponse)),
  handler: async ({ query, ...context }) => {
    const list = await contentsAt(context, { path: '', ref: query.ref }, whole)
    return Array.isArray(list) ? list : [list]
  },
})

export const repoGetContents = route('GET /repos/{owner}/{repo}/contents/{filepath...}', {
  ...reading,
  summary: 'A file with its content, or the entries of a folder',
  returns: json(200, v.union([ContentsResponse, v.array(ContentsResponse)])),
  handler: ({ params, query, ...context }) =>
    contentsAt(context, { path: requestedPath(params.filepath), ref: query.ref }, whole),
})

const chosen = {
  ...reading,
  query: { ref: queryText, includes: queryText },
  returns: json(200, ContentsExtResponse),
} as const

export const repoGetContentsExtRoot = route('GET /repos/{owner}/{repo}/contents-ext', {
  ...chosen,
  summary: 'The entries of the root folder, with what `includes` names',
  handler: async ({ query: { ref, includes }, ...context }) =>
    eitherKind(await contentsAt(context, { path: '', ref }, includedIn(includes))),
})

export const repoGetContentsExt = route('GET /repos/{owner}/{repo}/contents-ext/{filepath...}', {
  ...chosen,
  summary: 'A file, or the entries of a folder, with what `includes` names',
  handler: async ({ params, query: { ref, includes }, ...context }) =>
    eitherKind(
      await contentsAt(context, { path: requestedPath(params.filepath), ref }, includedIn(includes)),
    ),
})

const eitherKind = (contents: ContentsResponse | ContentsResponse[]): ContentsExtResponse =>
  Array.isArray(contents) ? { dir_contents: contents } : { file_contents: contents }

/** Values of `includes`. */
const includeOptions = {
  file_content: 'content',
  lfs_metadata: 'lfs',
  commit_metadata: 'commit',
  commit_message: 'message',
} as const satisfies Readonly<Record<string, keyof Included>>

const isIncludeOption = (text: string): text is keyof typeof includeOptions =>
  Object.hasOwn(includeOptions, text)

/** The options in a list, separated by commas. @throws Problem 400 */
function includedIn(list: string): Included {
  const included: Included = {}
  for (const option of list.split(',').map((each) => each.trim())) {
    if (option === '') continue
    if (!isIncludeOption(option))
      throw badRequest(`unknown include option ${JSON.stringify(option.slice(0, 100))}`)
    included[includeOptions[option]] = true
  }
  return included
}
