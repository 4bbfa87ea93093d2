import { archiveNamed, archiveOf } from '../../forge/code/archive-of.ts'
import { codeSeen } from '../../forge/repos/access.ts'
import { route } from '../route.ts'

export const getArchiveFile = route('GET /{owner}/{repo}/archive/{archive...}', {
  summary: 'A branch, tag or commit in one file',
  access: codeSeen(),
  fails: [400, 404],
  returns: [200],
  sends: 'stream',
  handler: ({ params, ...context }) => archiveOf(context, archiveNamed(params.archive)),
})
