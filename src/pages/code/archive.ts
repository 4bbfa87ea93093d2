import { archiveNamed, archiveOf } from '../../forge/code/archive-of.ts'
import { codeSeen } from '../../forge/repos/access.ts'
import { streamed } from '../../http/route/sends.ts'
import { route } from '../route.ts'

export const getArchiveFile = route('GET /{owner}/{repo}/archive/{archive...}', {
  summary: 'A branch, tag or commit in one file',
  access: codeSeen(),
  fails: [400, 404],
  returns: streamed(200),
  handler: ({ params, ...context }) => archiveOf(context, archiveNamed(params.archive)),
})
