import * as v from 'valibot'
import { json } from '../../../http/route/sends.ts'
import { queryText } from '../../protocol/query.ts'
import { codeSeen } from '../../repos/access.ts'
import { route } from '../../route.ts'
import { ContentsExtResponse, ContentsResponse } from './contents.shape.ts'
import { contentsAt } from './contents-at.ts'
import { pathAsked } from './contents-of.ts'
import { includedIn } from './included.ts'

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
    contentsAt(context, { path: pathAsked(params.filepath), ref: query.ref }, whole),
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
    eitherKind(await contentsAt(context, { path: pathAsked(params.filepath), ref }, includedIn(includes))),
})

const eitherKind = (contents: ContentsResponse | ContentsResponse[]): ContentsExtResponse =>
  Array.isArray(contents) ? { dir_contents: contents } : { file_contents: contents }
