import { type CodeContext, openCode, placeIn } from '../../forge/code/code.ts'
import { rawFile, sendsFile } from '../../forge/code/raw-file.ts'
import { codeSeen } from '../../forge/repos/access.ts'
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

/** @throws Problem 404, 422 too large, 503 */
async function fileAt(context: CodeContext, { kind, path }: { kind: string; path: string }) {
  const code = await openCode(context)
  return rawFile(context, code, await placeIn(code, kind, path))
}
