import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { startProtected } from '../../support/forge/protected.ts'
import { clientOk } from '../../support/git.ts'
import { gnupg, withoutGpg } from '../../support/processes/gpg.ts'
import { longest } from '../../support/wait.ts'

const COMMIT = 'GET /api/v1/repos/{owner}/{repo}/git/commits/{sha}'
const TAG = 'GET /api/v1/repos/{owner}/{repo}/git/tags/{sha}'
const ADD_KEY = 'POST /api/v1/user/gpg_keys'
const REMOVE_KEY = 'DELETE /api/v1/user/gpg_keys/{id}'

const { call, url, folder, ada, bob, repository } = await startProtected()
const gpg = gnupg()
const options = { skip: withoutGpg }

type Repo = Awaited<ReturnType<typeof repository>>

const git = (repo: Repo, parameters: readonly string[], environment = {}, input = '') =>
  execFileSync('git', parameters, {
    cwd: repo.work,
    env: { ...gpg.environment, ...environment },
    encoding: 'utf8',
    timeout: longest,
    stdio: 'pipe',
    input,
  }).trim()

/** Commits on top of a branch, signed by a key; gives the id. */
function commit(repo: Repo, key: string, email = 'ada@example.com'): string {
  const committer = { GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: email }
  git(repo, ['commit', '-q', '--allow-empty', '-m', 'äöü', `-S${key}!`], committer)
  return git(repo, ['rev-parse', 'HEAD'])
}

const isVerifiedByGit = (repo: Repo, sha: string, command = 'verify-commit'): boolean => {
  try {
    git(repo, [command, sha])
    return true
  } catch {
    return false
  }
}

const verificationOf = async (repo: Repo, sha: string) => {
  const { status, body } = await repo.ask(undefined, COMMIT, { params: { sha } })
  assert.equal(status, 200)
  return body.commit.verification
}

async function addKey(as: typeof ada, text: string, signature?: string): Promise<number> {
  const body = { armored_public_key: text, armored_signature: signature ?? '' }
  const answer = await call(ADD_KEY, { as, body })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.id
}

const removeKey = async (as: typeof ada, id: number) =>
  assert.equal((await call(REMOVE_KEY, { as, params: { id } })).status, 204)

suite('a commit is verified as git verifies it, if an OpenPGP key of the account has signed it:', () => {
  for (const algorithm of ['ed25519', 'rsa3072', 'nistp256', 'nistp384', 'nistp521'])
    test(algorithm, options, async () => {
      const repo = await repository()
      const key = gpg.make('Ada <ada@example.com>', algorithm)
      const sha = commit(repo, key)
      assert.equal(await repo.push(ada, 'HEAD:main'), '')
      const unknown = await verificationOf(repo, sha)
      assert.deepEqual([unknown.verified, unknown.reason], [false, 'gpg.error.no_gpg_keys_found'])
      const id = await addKey(ada, gpg.exported(key))
      const shown = await verificationOf(repo, sha)
      assert.deepEqual(
        [shown.verified, shown.reason, shown.signer],
        [
          isVerifiedByGit(repo, sha),
          `ada / ${key.slice(-16)}`,
          { name: 'ada', email: 'ada@example.com', username: 'ada' },
        ],
      )
      const page = await (await fetch(`${url}/ada/${repo.name}/commit/${sha}`)).text()
      assert.ok(page.includes('Verified') && page.includes(key.slice(-16)))
      await removeKey(ada, id)
      assert.equal((await verificationOf(repo, sha)).verified, false)
    })
})

test('an annotated tag is verified by its own signature, as git verifies it', options, async () => {
  const repo = await repository()
  const key = gpg.make('Ada <ada@example.com>', 'ed25519')
  await addKey(ada, gpg.exported(key))
  commit(repo, key)
  const tagger = { GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.com' }
  git(repo, ['tag', '-s', '-u', key, '-m', 'one', 'signed'], tagger)
  git(repo, ['tag', '-a', '-m', 'one', 'unsigned'], tagger)
  assert.equal(await repo.push(ada, 'HEAD:main', '--tags'), '')
  for (const name of ['signed', 'unsigned']) {
    const sha = git(repo, ['rev-parse', name])
    const { body } = await repo.ask(undefined, TAG, { params: { sha } })
    const isSigned = name === 'signed'
    assert.deepEqual(
      [body.verification.verified, isVerifiedByGit(repo, name, 'verify-tag')],
      [isSigned, isSigned],
    )
  }
})

test('a subkey that signs counts, and one that is revoked does not', options, async () => {
  const repo = await repository()
  const key = gpg.make('Ada <ada@example.com>', 'rsa2048', 'cert')
  gpg.run('--quick-add-key', key, 'ed25519', 'sign')
  const subkey = [...gpg.run('--with-colons', '--list-keys', key).matchAll(/^fpr:+([0-9A-F]+):/gm)].at(
    -1,
  )?.[1]
  const sha = commit(repo, subkey ?? '')
  assert.equal(await repo.push(ada, 'HEAD:main'), '')
  const id = await addKey(ada, gpg.exported(key))
  assert.deepEqual([(await verificationOf(repo, sha)).verified, isVerifiedByGit(repo, sha)], [true, true])
  await removeKey(ada, id)
  execFileSync(
    'gpg',
    ['--homedir', gpg.home, '--command-fd', '0', '--quiet', '--no-tty', '--edit-key', key],
    {
      input: 'key 1\nrevkey\ny\n0\n\ny\nsave\n',
      timeout: longest,
      stdio: 'pipe',
    },
  )
  await removeKey(ada, await addKey(ada, gpg.exported(key)))
  await addKey(ada, gpg.exported(key))
  assert.deepEqual([(await verificationOf(repo, sha)).verified, isVerifiedByGit(repo, sha)], [false, false])
})

test('a key that has ended counts for what it signed before, and for nothing later', options, async () => {
  const repo = await repository()
  const key = gpg.make('Ada <ada@example.com>')
  const before = commit(repo, key)
  const second = new Date((Math.floor(Date.now() / 1000) + 2) * 1000)
  gpg.run('--quick-set-expire', key, `${second.toISOString().replace(/[-:]|\..*/g, '')}`)
  const text = gpg.exported(key)
  gpg.run('--quick-set-expire', key, '0')
  git(repo, ['commit', '-q', '--allow-empty', '-m', 'late', `-S${key}!`, '--no-edit'], {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'gpg.program',
    GIT_CONFIG_VALUE_0: fakedClock(key, second),
  })
  const after = git(repo, ['rev-parse', 'HEAD'])
  assert.equal(await repo.push(ada, 'HEAD:main'), '')
  await addKey(ada, text)
  assert.deepEqual(
    [(await verificationOf(repo, before)).verified, (await verificationOf(repo, after)).verified],
    [true, false],
  )
})

/** A program that signs as if it were an hour after a time. */
function fakedClock(key: string, time: Date): string {
  const file = join(folder, `gpg-later-${key}`)
  const seconds = Math.floor(time.getTime() / 1000) + 3600
  writeFileSync(file, `#!/bin/sh\nexec gpg --faked-system-time ${seconds} "$@"\n`, { mode: 0o755 })
  return file
}

test(
  'the address of the committer must be one of the key, unless the account has proved it',
  options,
  async () => {
    const repo = await repository()
    await call('POST /api/v1/user/emails', { as: ada, body: { emails: ['ada.second@example.com'] } })
    const key = gpg.make('Ada <ada@example.com>')
    const sha = commit(repo, key, 'ada.second@example.com')
    const ofBob = commit(repo, key, 'bob@example.com')
    assert.equal(await repo.push(ada, 'HEAD:main'), '')
    await addKey(ada, gpg.exported(key))
    assert.equal((await verificationOf(repo, sha)).verified, false)
    const { body: token } = await call('GET /api/v1/user/gpg_key_token', { as: ada })
    const body = { key_id: key.slice(-16), armored_signature: gpg.sign(key, token) }
    assert.equal((await call('POST /api/v1/user/gpg_key_verify', { as: ada, body })).status, 201)
    assert.equal((await verificationOf(repo, sha)).verified, true)
    assert.equal((await verificationOf(repo, ofBob)).verified, false)
  },
)

test('a signature of another commit, a damaged one and several verify nothing', options, async () => {
  const repo = await repository()
  const key = gpg.make('Ada <ada@example.com>')
  await addKey(ada, gpg.exported(key))
  const raw = `${git(repo, ['cat-file', 'commit', commit(repo, key)])}\n`
  const [signature = ''] = /^gpgsig (?:.*\n)(?: .*\n)*/m.exec(raw) ?? []
  const contents = [
    raw.replace('äöü', 'other'),
    raw.replace(/\n [A-Za-z0-9+/]{40}/, (line) => `${line.slice(0, -4)}AAAA`),
    raw.replace(/^ -----END.*$/m, ' -----END NOTHING-----'),
    raw.replace(signature, `${signature}${signature.replace('gpgsig', '')}`),
    raw.replace(signature, 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----\n'),
  ]
  for (const content of contents) {
    const sha = git(repo, ['hash-object', '-t', 'commit', '-w', '--stdin'], {}, content)
    assert.equal(await repo.push(ada, `${sha}:refs/heads/x${sha}`), '')
    assert.equal((await verificationOf(repo, sha)).verified, false, content)
  }
})

test(
  'require_signed_commits takes commits that an OpenPGP key has signed, and no others',
  options,
  async () => {
    const repo = await repository()
    const key = gpg.make('Bob <bob@example.com>')
    await addKey(bob, gpg.exported(key))
    const rule = { rule_name: 'main', enable_push: true, require_signed_commits: true }
    const made = await repo.ask(ada, 'POST /api/v1/repos/{owner}/{repo}/branch_protections', { body: rule })
    assert.equal(made.status, 201)
    commit(repo, key, 'bob@example.com')
    assert.equal(await repo.push(bob, 'HEAD:main'), '')
    await clientOk(repo.work, 'commit', '-q', '--allow-empty', '-m', 'unsigned')
    assert.match(await repo.push(bob, 'HEAD:main'), /unverified commit/)
  },
)
