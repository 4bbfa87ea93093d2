import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { parseSshSignature } from '../../../src/forge/ssh-keys/ssh-signature.ts'
import { wireStrings } from '../../../src/forge/ssh-keys/ssh-wire.ts'
import { startProtected } from '../../support/forge/protected.ts'
import { client, clientOk } from '../../support/git.ts'
import { longest } from '../../support/wait.ts'

const COMMIT = 'GET /api/v1/repos/{owner}/{repo}/git/commits/{sha}'
const COMMITS = 'GET /api/v1/repos/{owner}/{repo}/commits'
const BRANCH = 'GET /api/v1/repos/{owner}/{repo}/branches/{branch...}'
const TAG = 'GET /api/v1/repos/{owner}/{repo}/git/tags/{sha}'
const ADD_KEY = 'POST /api/v1/user/keys'

const { call, url, folder, ada, bob, repository } = await startProtected()

const run = (...parameters: string[]) =>
  execFileSync('ssh-keygen', parameters, { encoding: 'utf8', timeout: longest, stdio: 'pipe' })

let made = 0
/** A new pair of keys; gives the file of the private one. */
function keyPair(type = 'ed25519', bits = '256'): string {
  const file = join(folder, `key-${made++}`)
  run('-q', '-N', '', '-t', type, '-b', bits, '-C', '', '-f', file)
  return file
}
const publicKey = (file: string) => readFileSync(`${file}.pub`, 'utf8').trim()

async function addKey(as: typeof ada, file: string): Promise<number> {
  const body = { title: file, key: publicKey(file) }
  const answer = await call(ADD_KEY, { as, body })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.id
}

/** What git is told to sign with a key. */
const signing = (file: string) => ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${file}`]

type Repo = Awaited<ReturnType<typeof repository>>

/** Commits on top of a branch; gives the id. */
async function commit(repo: Repo, file: string | undefined, ...more: string[]): Promise<string> {
  const config = file === undefined ? [] : signing(file)
  const flags = file === undefined ? [] : ['-S']
  await clientOk(repo.work, ...config, 'commit', '-q', '--allow-empty', '-m', 'äöü', ...flags, ...more)
  return clientOk(repo.work, 'rev-parse', 'HEAD')
}

const verificationOf = async (repo: Repo, sha: string) => {
  const { status, body } = await repo.ask(undefined, COMMIT, { params: { sha } })
  assert.equal(status, 200)
  return body.commit.verification
}

/** Whether git itself takes a commit, or a tag, for signed by ada. */
async function isVerifiedByGit(
  repo: Repo,
  sha: string,
  file: string,
  command = 'verify-commit',
): Promise<boolean> {
  const allowed = join(folder, 'allowed')
  writeFileSync(allowed, `ada@example.com ${publicKey(file)}\n`)
  const config = ['-c', 'gpg.format=ssh', '-c', `gpg.ssh.allowedSignersFile=${allowed}`]
  return (await client(repo.work, ...config, command, sha)).code === 0
}

suite('a commit is verified if a key of the account with the address of the committer signed it:', () => {
  for (const [type, bits] of [
    ['ed25519', '256'],
    ['rsa', '3072'],
    ['ecdsa', '256'],
    ['ecdsa', '384'],
    ['ecdsa', '521'],
  ] as const)
    test(`${type} of ${bits} bits`, async () => {
      const repo = await repository()
      const file = keyPair(type, bits)
      const sha = await commit(repo, file)
      assert.equal(await repo.push(ada, 'HEAD:main'), '')
      assert.equal(await isVerifiedByGit(repo, sha, file), true)
      const unknown = await verificationOf(repo, sha)
      assert.deepEqual(
        [unknown.verified, unknown.reason, unknown.signer],
        [false, 'gpg.error.no_gpg_keys_found', null],
      )
      const key = await addKey(ada, file)
      const shown = await verificationOf(repo, sha)
      const fingerprint = run('-l', '-f', `${file}.pub`).split(' ')[1]
      assert.equal(shown.verified, true)
      assert.equal(shown.reason, `ada / ${fingerprint}`)
      assert.deepEqual(shown.signer, { name: 'ada', email: 'ada@example.com', username: 'ada' })
      assert.match(shown.signature, /^-----BEGIN SSH SIGNATURE-----\n/)
      assert.match(shown.payload, /^tree [\s\S]*äöü\n$/)

      const listed = await repo.ask(undefined, COMMITS)
      assert.equal(listed.body[0].commit.verification.verified, true)
      const branch = await repo.ask(undefined, BRANCH, { params: { branch: 'main' } })
      assert.equal(branch.body.commit.verification.verified, true)
      const page = await (await fetch(`${url}/ada/${repo.name}/commit/${sha}`)).text()
      assert.match(page, /Verified/)
      assert.ok(fingerprint && page.includes(fingerprint))

      await call('DELETE /api/v1/user/keys/{id}', { as: ada, params: { id: key } })
      assert.equal((await verificationOf(repo, sha)).verified, false)
    })
})

test('a signature of another account, or by an address of nobody, verifies nothing', async () => {
  const repo = await repository()
  const file = keyPair()
  await addKey(bob, file)
  const ofAda = await commit(repo, file)
  const committer = ['-c', 'user.name=x']
  const environment = { GIT_COMMITTER_EMAIL: 'nobody@example.com' }
  await clientOk(repo.work, ...signing(file), ...committer, 'commit', '-q', '--allow-empty', '-m', 'x', '-S')
  const made = execFileSync('git', [...signing(file), 'commit', '-q', '--allow-empty', '-m', 'y', '-S'], {
    cwd: repo.work,
    env: {
      ...process.env,
      ...environment,
      GIT_COMMITTER_NAME: 'n',
      GIT_AUTHOR_NAME: 'n',
      GIT_AUTHOR_EMAIL: 'bob@example.com',
    },
    timeout: longest,
  })
  assert.equal(made.length, 0)
  const ofNobody = await clientOk(repo.work, 'rev-parse', 'HEAD')
  assert.equal(await repo.push(ada, 'HEAD:main'), '')
  for (const sha of [ofAda, ofNobody]) assert.equal((await verificationOf(repo, sha)).verified, false)
})

test('a signature of another commit, a damaged one, and one for another purpose verify nothing', async () => {
  const repo = await repository()
  const file = keyPair()
  await addKey(ada, file)
  const sha = await commit(repo, file)
  const raw = await clientOk(repo.work, 'cat-file', 'commit', sha)
  const text = join(folder, 'text')
  const unsigned = `${raw.replace(/^gpgsig .*\n(?: .*\n)*/m, '')}\n`
  writeFileSync(text, unsigned)
  run('-q', '-Y', 'sign', '-f', file, '-n', 'file', text)
  const forFiles = readFileSync(`${text}.sig`, 'utf8').trimEnd().replaceAll('\n', '\n ')
  const headerOf = (signature: string) => unsigned.replace('\n\n', `\ngpgsig ${signature}\n\n`)
  const shas: string[] = []
  for (const content of [
    raw.replace('äöü', 'other'),
    raw.replace(/\n [A-Za-z0-9+/]{10}/, (line) => `${line.slice(0, -4)}AAAA`),
    raw.replace(/^ -----END.*$/m, ' -----END NOTHING-----'),
    headerOf(forFiles),
    headerOf('-----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----'),
  ]) {
    writeFileSync(text, content.endsWith('\n') ? content : `${content}\n`)
    shas.push(await clientOk(repo.work, 'hash-object', '-t', 'commit', '-w', text))
  }
  for (const [at, each] of shas.entries()) {
    assert.equal(await repo.push(ada, `${each}:refs/heads/b${at}`), '', `${at}`)
    assert.equal((await verificationOf(repo, each)).verified, false, `${at}`)
    assert.equal(await isVerifiedByGit(repo, each, file), false, `${at}`)
  }
})

test('an annotated tag is verified by its own signature, as git verifies it, and not by that of its commit', async () => {
  const repo = await repository()
  const [file, others] = [keyPair(), keyPair()]
  const key = await addKey(ada, file)
  await addKey(bob, others)
  await commit(repo, file)
  const message = ['-m', 'one\n\n-----BEGIN SSH SIGNATURE-----\nquoted']
  await clientOk(repo.work, 'tag', '-a', '-m', 'one', 'unsigned')
  await clientOk(repo.work, ...signing(file), 'tag', '-s', ...message, 'signed')
  await clientOk(repo.work, ...signing(others), 'tag', '-s', ...message, 'by-others')
  const made = (await clientOk(repo.work, 'cat-file', 'tag', 'signed')).replace('tag signed', 'tag altered')
  const altered = join(folder, 'altered')
  writeFileSync(altered, `${made}\n`)
  const id = await clientOk(repo.work, 'hash-object', '-t', 'tag', '-w', altered)
  await clientOk(repo.work, 'update-ref', 'refs/tags/altered', id)
  assert.equal(await repo.push(ada, 'HEAD:main', '--tags'), '')
  const shown = async (name: string) => {
    const sha = await clientOk(repo.work, 'rev-parse', name)
    const { status, body } = await repo.ask(undefined, TAG, { params: { sha } })
    assert.equal(status, 200)
    return body
  }
  for (const name of ['unsigned', 'signed', 'by-others', 'altered']) {
    const { verified } = (await shown(name)).verification
    assert.equal(verified, name === 'signed', name)
    assert.equal(await isVerifiedByGit(repo, name, file, 'verify-tag'), verified, name)
  }
  const { message: text, verification } = await shown('signed')
  assert.equal(text, 'one\n\n-----BEGIN SSH SIGNATURE-----\nquoted\n')
  assert.match(
    verification.signature,
    /^-----BEGIN SSH SIGNATURE-----\nU[\s\S]*\n-----END SSH SIGNATURE-----$/,
  )
  assert.ok(verification.payload.endsWith(`\n\n${text}`))
  assert.equal(verification.signer.username, 'ada')
  const tags = await (await fetch(`${url}/ada/${repo.name}/tags`)).text()
  const badges = [...tags.matchAll(/<h3><a [^>]*>([^<]*)<\/a>(.*?)<\/h3>/g)].map(([, name, badge = '']) => [
    name,
    badge.includes('Verified'),
  ])
  const shownBadges = Object.fromEntries(badges)
  assert.deepEqual(shownBadges, { altered: false, 'by-others': false, signed: true, unsigned: false })
  const { verification: unsigned } = await shown('unsigned')
  assert.deepEqual(unsigned, {
    verified: false,
    reason: 'gpg.error.not_signed_commit',
    signature: '',
    payload: '',
    signer: null,
  })
  await call('DELETE /api/v1/user/keys/{id}', { as: ada, params: { id: String(key) } })
  assert.equal((await shown('signed')).verification.verified, false, 'its key was removed')
})

test('a commit whose encoding is not UTF-8 is verified by its bytes', async () => {
  const repo = await repository()
  const file = keyPair()
  await addKey(ada, file)
  const message = join(folder, 'message')
  writeFileSync(message, Buffer.from('f\xfcr', 'latin1'))
  await clientOk(repo.work, 'config', 'i18n.commitEncoding', 'ISO-8859-1')
  await clientOk(repo.work, ...signing(file), 'commit', '-q', '--allow-empty', '-F', message, '-S')
  const sha = await clientOk(repo.work, 'rev-parse', 'HEAD')
  assert.equal(await repo.push(ada, 'HEAD:main'), '')
  const shown = await verificationOf(repo, sha)
  assert.equal(shown.verified, true)
  assert.match(shown.payload, /für/)
})

test('require_signed_commits lets only verified commits into a branch', async () => {
  const repo = await repository()
  const file = keyPair()
  const key = await addKey(ada, file)
  const body = { rule_name: 'main', enable_push: true, require_signed_commits: true }
  const rule = await repo.ask(ada, 'POST /api/v1/repos/{owner}/{repo}/branch_protections', { body })
  assert.equal(rule.status, 201)
  const signed = await commit(repo, file)
  assert.equal(await repo.push(ada, 'HEAD:main'), '')
  const unsigned = await commit(repo, undefined)
  const refusal = `branch main is protected from unverified commit ${unsigned}`
  assert.equal(await repo.push(ada, 'HEAD:main'), refusal)
  await commit(repo, file)
  assert.equal(await repo.push(ada, 'HEAD:main'), refusal)
  assert.equal(await clientOk(repo.path, 'rev-parse', 'main'), signed)
  const contents = { content: '', message: 'x', branch: 'main' }
  const byApi = await repo.ask(ada, 'POST /api/v1/repos/{owner}/{repo}/contents/{filepath...}', {
    params: { filepath: 'a' },
    body: contents,
  })
  assert.equal(byApi.status, 403)
  await clientOk(repo.work, 'reset', '-q', '--hard', signed)
  const last = await commit(repo, file)
  await call('DELETE /api/v1/user/keys/{id}', { as: ada, params: { id: key } })
  assert.equal(await repo.push(ada, 'HEAD:main'), `branch main is protected from unverified commit ${last}`)
})

/** A signature that a security key makes (OpenSSH PROTOCOL.u2f), and its public key. */
function bySecurityKey(text: Buffer) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const type = 'sk-ssh-ed25519@openssh.com'
  const blob = wireStrings(type, publicKey.subarray(-32), 'ssh:')
  const hash = (bytes: Buffer | string, name = 'sha256') => createHash(name).update(bytes).digest()
  const signed = Buffer.concat([
    Buffer.from('SSHSIG'),
    wireStrings('git', '', 'sha512', hash(text, 'sha512')),
  ])
  const appended = Buffer.from([1, 0, 0, 0, 7])
  const bytes = sign(
    null,
    Buffer.concat([hash('ssh:'), appended, hash(signed)]),
    createPrivateKey(privateKey),
  )
  const signature = Buffer.concat([wireStrings(type, bytes), appended])
  const all = Buffer.concat([
    Buffer.from('SSHSIG\0\0\0\x01'),
    wireStrings(blob, 'git', '', 'sha512', signature),
  ])
  const lines = all.toString('base64').replace(/.{70}/g, '$&\n')
  const armored = `-----BEGIN SSH SIGNATURE-----\n${lines}\n-----END SSH SIGNATURE-----\n`
  return { armored, line: `${type} ${blob.toString('base64')}` }
}

test('a signature of a security key is read as ssh-keygen reads it', () => {
  const text = Buffer.from('a commit')
  const { armored, line } = bySecurityKey(text)
  const [signature, signers] = [join(folder, 'sk.sig'), join(folder, 'sk.allowed')]
  writeFileSync(signature, armored)
  writeFileSync(signers, `ada@example.com ${line}\n`)
  const verify = ['-Y', 'verify', '-f', signers, '-I', 'ada@example.com', '-n', 'git', '-s', signature]
  const said = execFileSync('ssh-keygen', verify, { input: text, encoding: 'utf8', timeout: longest })
  assert.match(said, /Good "git" signature/)
  const read = parseSshSignature(armored)
  assert.equal(read?.signs(text), true)
  assert.equal(read?.signs(Buffer.from('another')), false)
})

test('a signature that is cut, or has a byte changed, is never taken for one', () => {
  const text = Buffer.from('a commit')
  const { armored } = bySecurityKey(text)
  const [, base64 = ''] = /-----\n([\s\S]*)\n-----END/.exec(armored) ?? []
  const bytes = Buffer.from(base64, 'base64')
  const isTaken = (changed: Buffer) =>
    parseSshSignature(
      `-----BEGIN SSH SIGNATURE-----\n${changed.toString('base64')}\n-----END SSH SIGNATURE-----`,
    )?.signs(text) ?? false
  assert.equal(isTaken(bytes), true)
  for (let at = 0; at < bytes.length; at++) {
    assert.equal(isTaken(bytes.subarray(0, at)), false, `cut at ${at}`)
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 0x10
    // The key may change: then it is another key, which has another fingerprint.
    const read = parseSshSignature(
      `-----BEGIN SSH SIGNATURE-----\n${changed.toString('base64')}\n-----END SSH SIGNATURE-----`,
    )
    const isSame = read?.fingerprint === parseSshSignature(armored)?.fingerprint
    assert.equal(isSame && read?.signs(text), false, `changed at ${at}`)
  }
})
