import { notFound } from '../../http/route/problem.ts'
import { textAs } from '../../http/route/sends.ts'
import { everyone } from '../auth/access.ts'
import { repoSeen } from '../repos/access.ts'
import { type ForgeTools, route } from '../route.ts'

/** The public key with which the server signs the commits that it makes, if it has one; it has none of OpenPGP. */

const noKey = {
  fails: [404],
  returns: textAs(200, 'text/plain'),
  handler: (): string => {
    throw notFound('no signing key')
  },
} as const

const sshKey = {
  fixed: true,
  fails: [404],
  returns: textAs(200, 'text/plain'),
  handler: ({ tools }: { tools: Pick<ForgeTools, 'gitService'> }): string => {
    const { signer } = tools.gitService.git
    if (!signer) throw notFound('no signing key')
    return `${signer.publicKey}\n`
  },
} as const

const [ofServer, ofRepository] = [{ access: everyone() }, { access: repoSeen() }] as const

export const getSigningKey = route('GET /signing-key.gpg', {
  ...noKey,
  ...ofServer,
  summary: 'The OpenPGP key with which the server signs commits: it has none',
})

export const getSigningKeySSH = route('GET /signing-key.pub', {
  ...sshKey,
  ...ofServer,
  summary: 'The SSH key with which the server signs the commits that it makes',
})

export const repoSigningKey = route('GET /repos/{owner}/{repo}/signing-key.gpg', {
  ...noKey,
  ...ofRepository,
  summary: 'The OpenPGP key with which the server signs commits of a repository: it has none',
})

export const repoSigningKeySSH = route('GET /repos/{owner}/{repo}/signing-key.pub', {
  ...sshKey,
  ...ofRepository,
  summary: 'The SSH key with which the server signs the commits that it makes, as for the site',
})
