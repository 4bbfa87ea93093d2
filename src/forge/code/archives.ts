import * as v from 'valibot'
import { codeSeen } from '../repos/access.ts'
import { route } from '../route.ts'
import { archiveOf } from './archive-of.ts'

/** The files of a commit in one file. */

export const repoGetArchive = route('GET /repos/{owner}/{repo}/archive/{archive...}', {
  summary: 'The files of a branch, tag or commit, whose name ends in `.zip` or `.tar.gz`',
  access: codeSeen(),
  fails: [400, 404],
  returns: [200, v.pipe(v.string(), v.metadata({ format: 'binary' }))],
  media: 'application/octet-stream',
  sends: 'stream',
  handler: ({ params, ...context }) => archiveOf(context, params.archive),
})
