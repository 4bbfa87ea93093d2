import * as v from 'valibot'
import { streamed } from '../../http/route/sends.ts'
import { queryTexts } from '../protocol/query.ts'
import { codeSeen } from '../repos/access.ts'
import { route } from '../route.ts'
import { archiveNamed, archiveOf } from './archive-of.ts'

/** Archives of commits. */

const sending = {
  access: codeSeen(),
  query: { path: queryTexts },
  fails: [400, 404, 422],
  returns: streamed(200, v.pipe(v.string(), v.metadata({ format: 'binary' })), 'application/octet-stream'),
} as const

export const repoGetArchive = route('GET /repos/{owner}/{repo}/archive/{archive...}', {
  ...sending,
  summary: 'The files of a branch, tag or commit, or its history: the end of the name chooses the format',
  handler: ({ params, query, ...context }) => archiveOf(context, archiveNamed(params.archive, query.path)),
})

export const repoGetZipball = route('GET /repos/{owner}/{repo}/zipball/{ref...}', {
  ...sending,
  summary: 'The files of a branch, tag or commit as `.zip`',
  handler: ({ params, query, ...context }) =>
    archiveOf(context, { ref: params.ref, format: 'zip', paths: query.path }),
})

export const repoGetTarball = route('GET /repos/{owner}/{repo}/tarball/{ref...}', {
  ...sending,
  summary: 'The files of a branch, tag or commit as `.tar.gz`',
  handler: ({ params, query, ...context }) =>
    archiveOf(context, { ref: params.ref, format: 'tar.gz', paths: query.path }),
})

export const repoGetBundle = route('GET /repos/{owner}/{repo}/bundle/{ref...}', {
  ...sending,
  fails: [400, 404],
  summary: 'The history of a branch, tag or commit as `.bundle`, which `git clone` accepts',
  handler: ({ params, query, ...context }) =>
    archiveOf(context, { ref: params.ref, format: 'bundle', paths: query.path }),
})
