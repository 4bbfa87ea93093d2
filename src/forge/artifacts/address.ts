import type { Secrets } from '../../db/encryption/secrets.ts'
import { Problem } from '../../http/route/problem.ts'
import type { Query } from '../../http/route/query.ts'
import type { RequestContext } from '../../http/route/route.ts'
import type { ForgeTools } from '../route.ts'

/** Addresses that say themselves what may be done: clients send no credentials with them. */

/** Path of the calls on artifacts, for the public actions. */
export const RESULTS_PATH = 'twirp/github.actions.results.api.v1.ArtifactService'

/** How long an upload may take, and how long a download may wait, in milliseconds. */
const valid = { upload: 6 * 3_600_000, download: 600_000 }

/** What an address is about. `task` and `run` are 0 in the address of a download. */
export interface Addressed {
  artifact: number
  task: number
  run: number
}

const purposes = { upload: 'upload of an artifact', download: 'download of an artifact' }

const textOf = ({ artifact, task, run }: Addressed, expires: number) =>
  [artifact, task, run, expires].join(' ')

interface Signing {
  secrets: Secrets
  /** Root of links, with a slash at its end. */
  host: string
  now: Date
}

/** The address to which a task sends the content of an artifact. */
export const uploadAddress = (addressed: Addressed, signing: Signing) =>
  signedAddress('upload', addressed, signing)

/** The address of the content of an artifact, for anybody. */
export const downloadAddress = (artifact: number, signing: Signing) =>
  signedAddress('download', { artifact, task: 0, run: 0 }, signing)

function signedAddress(
  kind: 'upload' | 'download',
  addressed: Addressed,
  { secrets, host, now }: Signing,
): string {
  const expires = now.getTime() + valid[kind]
  const signature = secrets.sign(textOf(addressed, expires), purposes[kind]).toString('base64url')
  const { artifact, task, run } = addressed
  const query = new URLSearchParams({
    artifact: String(artifact),
    task: String(task),
    run: String(run),
    expires: String(expires),
    signature,
  })
  return `${host}${RESULTS_PATH}/${kind === 'upload' ? 'UploadArtifact' : 'DownloadArtifact'}?${query}`
}

/** @throws Problem 401 the address was not made here, or has expired */
export function readAddress(
  kind: 'upload' | 'download',
  { query, tools, now }: Pick<RequestContext<Pick<ForgeTools, 'secrets'>>, 'query' | 'tools' | 'now'>,
): Addressed {
  const [artifact = 0, task = 0, run = 0, expires = 0] = ['artifact', 'task', 'run', 'expires'].map((name) =>
    Number(textIn(query, name)),
  )
  const addressed = { artifact, task, run }
  const signature = Buffer.from(textIn(query, 'signature'), 'base64url')
  if (!tools.secrets.isSigned(textOf(addressed, expires), signature, purposes[kind]))
    throw new Problem(401, 'the address is not signed by this server')
  if (expires <= now.getTime()) throw new Problem(401, 'the address has expired')
  return addressed
}

function textIn(query: Query, name: string): string {
  const value = query[name]
  return (Array.isArray(value) ? value[0] : value) ?? ''
}
