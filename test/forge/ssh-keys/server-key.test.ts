import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { configure } from '../../../src/config.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { startProtected } from '../../support/forge/protected.ts'
import { client, clientOk } from '../../support/git.ts'
import { longest } from '../../support/wait.ts'

const keys = await temporaryFolder()
function keyFile(name: string, type = 'ed25519', passphrase = ''): string {
  const file = join(keys, name)
  const parameters = ['-q', '-N', passphrase, '-t', type, '-C', 'forge', '-f', file]
  execFileSync('ssh-keygen', parameters, { timeout: longest, stdio: 'pipe' })
  return file
}
const key = keyFile('server')
const publicKey = readFileSync(`${key}.pub`, 'utf8').split(' ').slice(0, 2).join(' ')
const { call, ada, folder, repository } = await startProtected({ SIGNING_KEY_FILE: key })
const repositories = join(folder, 'data', 'repositories', 'ada')

const REPO = '/api/v1/repos/{owner}/{repo}'
const base64 = (text: string) => Buffer.from(text).toString('base64')
type Repository = Awaited<ReturnType<typeof repository>>

const write = ({ params }: Pick<Repository, 'params'>, filepath: string, more: object = {}) =>
  call(`POST ${REPO}/contents/{filepath...}`, {
    as: ada,
    params: { ...params, filepath },
    body: { content: base64(filepath), ...more },
  })
const verification = async ({ params }: Pick<Repository, 'params'>, sha: string) =>
  (await call(`GET ${REPO}/git/commits/{sha}`, { as: ada, params: { ...params, sha } })).body.commit
    .verification
const protect = async ({ params }: Repository) => {
  const body = { rule_name: 'main', enable_push: true, require_signed_commits: true }
  assert.equal((await call(`POST ${REPO}/branch_protections`, { as: ada, params, body })).status, 201)
}
const allowed = join(keys, 'allowed')
writeFileSync(allowed, `forge@example.com namespaces="git" ${publicKey}\n`)
const verify = (directory: string, sha: string) =>
  client(directory, '-c', `gpg.ssh.allowedSignersFile=${allowed}`, 'verify-commit', sha)

for (const path of ['/signing-key.pub', '/repos/{owner}/{repo}/signing-key.pub'])
  test(`GET ${path} is the key with which the server signs`, async () => {
    const { params } = await repository()
    const { status, body } = await call(`GET /api/v1${path}`, { as: ada, params })
    assert.deepEqual([status, body], [200, `${publicKey}\n`])
    assert.equal((await call(`GET /api/v1${path.replace('.pub', '.gpg')}`, { as: ada, params })).status, 404)
  })

test('POST …/contents/{filepath} makes a commit that git verifies, and that is shown so', async () => {
  const repo = await repository()
  const { body } = await write(repo, 'signed.txt', { author: { name: 'X', email: 'x@example.com' } })
  const { sha } = body.commit
  assert.equal(body.verification.verified, true)
  const shown = await verification(repo, sha)
  assert.deepEqual([shown.verified, shown.signer], [true, { name: 'Forgehall', email: '', username: '' }])
  const { stderr } = await verify(repo.path, sha)
  assert.match(stderr, /Good "git" signature for forge@example\.com/)

  const signature = join(keys, 'signature')
  writeFileSync(signature, shown.signature)
  const sent = { input: shown.payload, encoding: 'utf8', timeout: longest } as const
  const parameters = ['-Y', 'verify', '-f', allowed, '-I', 'forge@example.com', '-n', 'git', '-s', signature]
  assert.match(execFileSync('ssh-keygen', parameters, sent), /Good "git" signature/)
})

test('POST /user/repos signs the first commit, in both formats of objects', async () => {
  for (const object_format_name of ['sha1', 'sha256']) {
    const body = {
      name: `first-${object_format_name}`,
      auto_init: true,
      readme: 'Default',
      object_format_name,
    }
    assert.equal((await call('POST /api/v1/user/repos', { as: ada, body })).status, 201)
    const params = { owner: 'ada', repo: body.name }
    const [commit] = (await call(`GET ${REPO}/commits`, { as: ada, params })).body
    assert.equal(commit.commit.verification.verified, true)
    const { stderr } = await verify(join(repositories, `${body.name}.git`), commit.sha)
    assert.match(stderr, /Good "git" signature/)
  }
})

test('commits of a repository that hashes with SHA-256 are signed, too', async () => {
  const body = { name: 'wide', auto_init: true, object_format_name: 'sha256' }
  assert.equal((await call('POST /api/v1/user/repos', { as: ada, body })).status, 201)
  const repo = { params: { owner: 'ada', repo: 'wide' } }
  const { sha } = (await write(repo, 'signed.txt')).body.commit
  assert.equal((await verification(repo, sha)).verified, true)
})

test('a rule that requires signed commits admits those of the server, and no others', async () => {
  const repo = await repository()
  await protect(repo)
  assert.equal((await write(repo, 'by-api.txt')).status, 201)
  await clientOk(repo.work, 'pull', '-q')
  const unsigned = await repo.commit({ 'plain.txt': 'plain' })
  assert.match(
    (await client(repo.work, 'push', 'origin', 'main')).stderr,
    new RegExp(`unverified commit ${unsigned}`),
  )
})

for (const style of ['merge', 'squash', 'rebase', 'rebase-merge', 'fast-forward-only'])
  test(`POST …/pulls/{index}/merge, ${style}: admits verified commits where a rule requires them`, async () => {
    const repo = await repository()
    await protect(repo)
    const { params } = repo
    await write(repo, 'topic.txt', { new_branch: 'topic' })
    await clientOk(repo.work, 'checkout', '-qb', 'plain')
    await repo.commit({ 'plain.txt': 'plain' })
    await clientOk(repo.work, 'push', '-q', 'origin', 'plain')
    const merge = async (head: string) => {
      const body = { head, base: 'main', title: head }
      const { number: index } = (await call(`POST ${REPO}/pulls`, { as: ada, params, body })).body
      const merging = { as: ada, params: { ...params, index }, body: { Do: style } }
      return call(`POST ${REPO}/pulls/{index}/merge`, merging)
    }
    const refused = await merge('plain')
    assert.deepEqual([refused.status, refused.body.message], [405, 'The base branch requires signed commits'])
    assert.equal((await merge('topic')).status, 200)
    const { body } = await call(`GET ${REPO}/branches/{branch...}`, {
      as: ada,
      params: { ...params, branch: 'main' },
    })
    assert.equal(body.commit.verification.verified, true)
  })

test('a start refuses a key that is not Ed25519, has a passphrase or is missing', () => {
  const files = [
    keyFile('other', 'ecdsa'),
    keyFile('locked', 'ed25519', 'a passphrase'),
    `${key}.pub`,
    '/nowhere',
  ]
  for (const file of files) {
    const configured = configure({ SIGNING_KEY_FILE: file })
    assert.ok('faults' in configured, file)
    assert.match(configured.faults.join(), /^SIGNING_KEY_FILE names a file that /)
  }
})
