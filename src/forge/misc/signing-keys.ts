import { notFound } from '../../http/route/problem.ts'
import { textAs } from '../../http/route/sends.ts'
import { everyone } from '../auth/access.ts'
import { repoSeen } from '../repos/access.ts'
import { route } from '../route.ts'

/** The public keys of the server: none, since it signs no commits. */

const noKey = {
  fails: [404],
  returns: textAs(200, 'text/plain'),
  handler: (): string => {
    throw notFound('no signing key')
  },
} as const

const ofServer = { ...noKey, access: everyone() } as const
const ofRepository = { ...noKey, access: repoSeen() } as const

export const getSigningKey = route('GET /signing-key.gpg', {
  ...ofServer,
  summary: 'The OpenPGP key with which the server signs commits: it has none',
})

export const getSigningKeySSH = route('GET /signing-key.pub', {
  ...ofServer,
  summary: 'The SSH key with which the server signs commits: it has none',
})

export const repoSigningKey = route('GET /repos/{owner}/{repo}/signing-key.gpg', {
  ...ofRepository,
  summary: 'The OpenPGP key with which the server signs commits of a repository: it has none',
})

export const repoSigningKeySSH = route('GET /repos/{owner}/{repo}/signing-key.pub', {
  ...ofRepository,
  summary: 'The SSH key with which the server signs commits of a repository: it has none',
})
