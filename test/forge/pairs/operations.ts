import type { Mounted } from '../../../src/http/route/api.ts'
import { accounts } from './accounts.ts'
import { actionsOperations } from './actions.ts'
import { code } from './code.ts'
import { issues } from './issues.ts'
import type { Operation } from './operation.ts'
import { packages } from './packages.ts'
import { releases } from './releases.ts'
import { settings } from './settings.ts'
import { siteOperations } from './site.ts'
import { structural } from './structural.ts'

/** Operations that change something of the forge, as they meet in a scene. */
export const operations: readonly Operation[] = [
  ...structural,
  ...settings,
  ...issues,
  ...code,
  ...releases,
  ...accounts,
  ...packages,
  ...actionsOperations,
  ...siteOperations,
]

/** Operations that stand in no pair, and why. The first words of their paths, or their whole literals. */
const without: Readonly<Record<string, string>> = {
  'POST /api/v1/markdown': 'changes nothing',
  'POST /api/v1/markdown/raw': 'changes nothing',
  'POST /api/v1/markup': 'changes nothing',
  'POST /api/v1/repos/{owner}/{repo}/file-contents': 'changes nothing',
  'POST /{owner}/{repo}/git-upload-pack': 'changes nothing; it is one of those that read a repository',
  'POST /api/packages/{owner}/npm/-/npm/v1/security/advisories/bulk': 'changes nothing',
  'POST /api/packages/{owner}/npm/-/npm/v1/security/audits': 'changes nothing',
  'POST /api/packages/{owner}/npm/-/npm/v1/security/audits/quick': 'changes nothing',
  'POST /api/actions/ping.v1.PingService/Ping': 'changes nothing',
  'POST /twirp/github.actions.results.api.v1.ArtifactService/ListArtifacts': 'changes nothing',
  'POST /twirp/github.actions.results.api.v1.ArtifactService/GetSignedArtifactURL': 'changes nothing',
  'POST /api/v1/user/gpg_keys':
    'each key is made by GnuPG in a fifth of a second; an ssh key meets the same rows',
  'POST /api/v1/user/gpg_key_verify': 'needs such a key',
  'DELETE /api/v1/user/gpg_keys/{id}': 'needs such a key',
}

/** Whether an operation is one of the forge; pages call its operations, and the site has no accounts and repositories. */
const isOfForge = ({ path }: Mounted) =>
  /^\/(?:api\/(?!media|news|site|stats)|twirp\/|\{owner\}\/\{repo\}\/git-)/.test(path)

/** The literals of changing operations that are neither prepared nor excused, and of prepared or excused ones that are not there. */
export function forgotten(routes: readonly Mounted[]): string[] {
  const literals = routes
    .filter((each) => each.method !== 'GET' && isOfForge(each))
    .map(({ method, path }) => `${method} ${path}`)
  const known = [...operations.map(({ literal }) => literal), ...Object.keys(without)]
  return [
    ...literals.filter((each) => !known.includes(each)),
    ...known.filter((each) => !literals.includes(each)),
  ]
}
