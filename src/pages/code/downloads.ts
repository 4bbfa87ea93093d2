import { archiveNamed, archiveOf } from '../../forge/code/archive-of.ts'
import { rawFile, sendsFile } from '../../forge/code/raw-file.ts'
import { codeSeen } from '../../forge/repos/access.ts'
import { type CodeContext, openCode, placeIn } from '../../forge/repos/code.ts'
import { streamed } from '../../http/route/sends.ts'
import { route } from '../route.ts'

const sending = { access: codeSeen(), ...sendsFile } as const

export const getRawFile = route('GET /{owner}/{repo}/raw/{kind}/{path...}', {
  ...sending,
  summary: 'A file of a branch, tag or commit as it is',
  handler: ({ params, ...context }) => fileAt(context, params),
})

export const getMediaFile = route('GET /{owner}/{repo}/media/{kind}/{path...}', {
  ...sending,
  summary: 'The same, for pictures in texts',
  handler: ({ params, ...context }) => fileAt(context, params),
})

export const getArchiveFile = route('GET /{owner}/{repo}/archive/{archive...}', {
  summary: 'A branch, tag or commit in one file',
  access: codeSeen(),
  fails: [400, 404, 422],
  returns: streamed(200),
  handler: ({ params, ...context }) => archiveOf(context, archiveNamed(params.archive)),
})

/** @throws Problem 404, 422 too large, 503 */
async function fileAt(context: CodeContext, { kind, path }: { kind: string; path: string }) {
  const code = await openCode(context)
  return rawFile(context, code, await placeIn(code, kind, path))
}
