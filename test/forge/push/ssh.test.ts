import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFile, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { runSsh } from '../../../src/cli/ssh/run.ts'
import { sshCounts } from '../../../src/forge/push/ssh-api.ts'
import { packet } from '../../../src/git/http/pkt-line.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { queuedMessages } from '../../support/forge/hook-messages.ts'
import { samePassword } from '../../support/forge/make.ts'
import { newKeyLine } from '../../support/forge/ssh-key.ts'
import { clientOk } from '../../support/git.ts'
import { run, serveSsh } from '../../support/processes/ssh.ts'
import { until } from '../../support/wait.ts'

const folder = await temporaryFolder()
const dataDir = join(folder, 'data')
const app = await startApp({ DATA_DIR: dataDir })
const { call, pool, clock, url, make } = app
const ssh = await serveSsh(app, dataDir)
const [ada, eve] = await make.people('ada', 'eve')
const key = await ssh.addKey(ada)
const stranger = await ssh.addKey(eve)
let made = 0

/** A repository of ada with one commit, and its address over SSH. */
async function repository(body: object = {}) {
  const name = `r${++made}`
  const draft = { name, auto_init: true, ...body }
  assert.equal((await call('POST /api/v1/user/repos', { as: ada, body: draft })).status, 201)
  const params = { owner: 'ada', repo: name }
  return { name, params, address: `git@forge.example:ada/${name}.git`, directory: directoryOf(name) }
}

const directoryOf = (name: string) => join(dataDir, 'repositories', 'ada', `${name}.git`)
const tipOf = (directory: string, ref = 'main') => clientOk(directory, 'rev-parse', ref)

async function ok(work: ReturnType<typeof ssh.git>): Promise<string> {
  const { code, stdout, stderr } = await work
  assert.equal(code, 0, stderr)
  return stdout.trim()
}

/** A clone with this key, in which a commit is ready to be pushed. */
async function clone(address: string, fingerprint = key.fingerprint, ...flags: string[]): Promise<string> {
  const work = join(folder, `clone${++made}`)
  await ok(ssh.git(fingerprint, folder, ...flags, 'clone', '-q', address, work))
  await commit(work)
  return work
}

async function commit(work: string, bytes = 20): Promise<void> {
  await writeFile(join(work, `file${++made}`), randomBytes(bytes))
  await clientOk(work, 'add', '.')
  await clientOk(work, 'commit', '-qm', 'Add a file')
}

const addDeployKey = async (params: Record<string, string>, read_only: boolean) => {
  const body = { title: `deploy ${++made}`, key: newKeyLine(), read_only }
  return (await call('POST /api/v1/repos/{owner}/{repo}/keys', { as: ada, params, body })).body
}

for (const version of ['0', '1', '2'])
  test(`a user clones, pushes and fetches over SSH in version ${version} of the protocol`, async () => {
    const { address, directory } = await repository({ private: true })
    const flags = ['-c', `protocol.version=${version}`]
    const work = await clone(address, key.fingerprint, ...flags)
    const other = await clone(address, key.fingerprint, ...flags, '-c', 'fetch.parallel=1')
    await ok(ssh.git(key.fingerprint, work, ...flags, 'push', '-q'))
    await commit(work, 2_000_000)
    await ok(ssh.git(key.fingerprint, work, ...flags, 'push', '-q', 'origin', 'HEAD', 'HEAD:refs/tags/v1'))
    const tip = await clientOk(work, 'rev-parse', 'HEAD')
    assert.equal(await tipOf(directory), tip)
    // The other clone has a commit of its own, so that client and server have to find what both have.
    await ok(ssh.git(key.fingerprint, other, ...flags, 'fetch', '-q'))
    assert.equal(await clientOk(other, 'rev-parse', 'origin/main', 'v1'), `${tip}\n${tip}`)
    await ok(ssh.git(key.fingerprint, other, ...flags, 'fetch', '-q'))
    const shallow = join(folder, `shallow${version}`)
    await ok(ssh.git(key.fingerprint, folder, ...flags, 'clone', '-q', '--depth=1', address, shallow))
    assert.equal(await clientOk(shallow, 'rev-list', '--count', 'HEAD'), '1')
    await ok(ssh.git(key.fingerprint, shallow, ...flags, 'fetch', '-q', '--unshallow'))
    assert.equal(await clientOk(shallow, 'rev-list', '--count', 'HEAD'), '3')
    const refs = await ok(ssh.git(key.fingerprint, folder, ...flags, 'ls-remote', address))
    assert.match(refs, new RegExp(`^${tip}\tHEAD\n${tip}\trefs/heads/main\n${tip}\trefs/tags/v1$`))
    // Only refs are deleted, so that no pack is sent.
    await ok(ssh.git(key.fingerprint, work, ...flags, 'push', '-q', 'origin', ':v1'))
    await ok(ssh.git(key.fingerprint, work, ...flags, 'push', '-q'))
  })

test('a push over SSH has the events of one over HTTP, leaves no entry in the journal, and stores small pushes alike', async () => {
  const { address, name, directory } = await repository()
  const work = await clone(address)
  const told = async () => {
    const messages = await queuedMessages(pool)
    await pool`delete from forge.event`
    return messages.map(({ event, payload }) => {
      const { ref, commits, pusher }: Record<string, unknown> = { ...payload }
      return { event, ref, commits, pusher }
    })
  }
  const packs = async () => /^packs: .*/m.exec(await clientOk(directory, 'count-objects', '-v'))?.[0]
  const packsBefore = await packs()
  await told()
  await ok(ssh.git(key.fingerprint, work, 'push', '-q', 'origin', 'HEAD:one'))
  const overSsh = await told()
  assert.deepEqual(
    overSsh.map(({ event }) => event),
    ['create', 'push'],
  )
  assert.equal(await packs(), packsBefore)
  const overHttp = Object.assign(new URL(`/ada/${name}.git`, url), {
    username: 'ada',
    password: samePassword,
  })
  await clientOk(work, 'push', '-q', overHttp.href, ':one')
  await told()
  await clientOk(work, 'push', '-q', overHttp.href, 'HEAD:one')
  assert.deepEqual(await told(), overSsh)
  assert.equal((await pool`select from forge.push_journal`).length, 0)
})

test('rules refuse a push over SSH with the sentence that HTTP has', async () => {
  const { address, directory } = await repository()
  const work = await clone(address)
  const before = await tipOf(directory)
  const { code, stderr } = await ssh.git(key.fingerprint, work, 'push', 'origin', 'HEAD:other', ':main')
  assert.equal(code, 1)
  assert.match(stderr, /^remote: branch main is the default branch and cannot be deleted/m)
  assert.equal(await tipOf(directory), before)
})

test('a private repository and none have the same answer; who may read may not push', async () => {
  const hidden = await repository({ private: true })
  const open = await repository()
  const said = async (address: string, fingerprint = stranger.fingerprint) => {
    const { code, stderr } = await ssh.git(fingerprint, folder, 'ls-remote', address)
    return [code, stderr.split('\n')[0]]
  }
  const sentence = 'forgehall: there is no such repository, or this key may not read it'
  const none = 'git@forge.example:ada/none.git'
  assert.deepEqual(await said(hidden.address), [128, sentence])
  assert.deepEqual(await said(none), [128, sentence])
  assert.deepEqual(await said(none, key.fingerprint), [128, sentence])
  assert.deepEqual(await said(hidden.address, 'SHA256:nobody'), [128, sentence])
  const work = await clone(open.address, stranger.fingerprint)
  const { code, stderr } = await ssh.git(stranger.fingerprint, work, 'push')
  assert.equal(code, 128)
  assert.match(stderr, /^forgehall: you may not push to this repository$/m)
})

test('a deploy key reads its repository alone, and writes to it unless it is read-only', async () => {
  const own = await repository({ private: true })
  const other = await repository()
  const reading = await addDeployKey(own.params, true)
  const writing = await addDeployKey(own.params, false)
  const work = await clone(own.address, reading.fingerprint)
  const refused = await ssh.git(reading.fingerprint, work, 'push')
  assert.match(refused.stderr, /^forgehall: this deploy key may not push to the repository$/m)
  const elsewhere = await ssh.git(writing.fingerprint, folder, 'ls-remote', other.address)
  assert.match(elsewhere.stderr, /there is no such repository/)
  await pool`delete from forge.event`
  await ok(ssh.git(writing.fingerprint, work, 'push', '-q'))
  assert.equal(await tipOf(own.directory), await clientOk(work, 'rev-parse', 'HEAD'))
  const [message] = await queuedMessages(pool)
  const { pusher }: Record<string, unknown> = { ...message?.payload }
  assert.match(JSON.stringify(pusher), /"login":"ada"/)
  const options = await ssh.git(
    writing.fingerprint,
    work,
    'push',
    '-o',
    'repo.private=false',
    'origin',
    'HEAD:public',
  )
  assert.match(options.stderr, /only administrators of the repository may set repo.private/)
})

test('rules of protected branches and tags name deploy keys, which are on no list of accounts', async () => {
  const { address, params } = await repository()
  const { fingerprint } = await addDeployKey(params, false)
  const work = await clone(address, fingerprint)
  const push = async (...refs: string[]) => {
    const { stderr } = await ssh.git(fingerprint, work, 'push', '-q', 'origin', ...refs)
    return /^remote: (.*?) *$/m.exec(stderr)?.[1] ?? stderr
  }
  const rule = {
    rule_name: 'main',
    enable_push: true,
    enable_push_whitelist: true,
    push_whitelist_usernames: ['ada'],
  }
  await call('POST /api/v1/repos/{owner}/{repo}/branch_protections', { as: ada, params, body: rule })
  const change = (body: object) =>
    call('PATCH /api/v1/repos/{owner}/{repo}/branch_protections/{name...}', {
      as: ada,
      params: { ...params, name: 'main' },
      body: { ...rule, ...body },
    })
  assert.equal(await push('HEAD:main'), 'Not allowed to push to protected branch main')
  await change({ push_whitelist_deploy_keys: true })
  assert.equal(await push('HEAD:main'), '')
  await clientOk(work, 'commit', '-q', '--amend', '-m', 'Another message')
  const forced = {
    enable_force_push: true,
    enable_force_push_allowlist: true,
    push_whitelist_deploy_keys: true,
  }
  await change(forced)
  assert.equal(await push('+HEAD:main'), 'Not allowed to force-push to protected branch main')
  await change({ ...forced, force_push_allowlist_deploy_keys: true })
  assert.equal(await push('+HEAD:main'), '')
  const tags = { name_pattern: 'v*', whitelist_usernames: ['ada'] }
  await call('POST /api/v1/repos/{owner}/{repo}/tag_protections', { as: ada, params, body: tags })
  assert.equal(await push('HEAD:refs/tags/v1'), 'Tag v1 is protected')
})

test('a deploy key of the repository of an administrator has no right of an administrator', async () => {
  const root = await make.admin({ name: 'root' })
  const body = { name: 'tool', auto_init: true, private: true }
  await call('POST /api/v1/user/repos', { as: root, body })
  const params = { owner: 'root', repo: 'tool' }
  const draft = { title: 'deploy', key: newKeyLine(), read_only: true }
  const deploy = (await call('POST /api/v1/repos/{owner}/{repo}/keys', { as: root, params, body: draft }))
    .body
  const work = await clone('git@forge.example:root/tool.git', deploy.fingerprint)
  const { stderr } = await ssh.git(deploy.fingerprint, work, 'push')
  assert.match(stderr, /this deploy key may not push/)
})

test('a former name of a repository leads to it', async () => {
  const { address, params, directory } = await repository({ private: true })
  const work = await clone(address)
  const body = { name: `renamed${made}` }
  await call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params, body })
  await ok(ssh.git(key.fingerprint, work, 'push', '-q'))
  const now = directory.replace(/[^/]+$/, `${body.name}.git`)
  assert.equal(await tipOf(now), await clientOk(work, 'rev-parse', 'HEAD'))
})

test('an account that may not sign in may not use its key', async () => {
  const finn = await make.person({ name: 'finn' })
  const { fingerprint } = await ssh.addKey(finn)
  const { address } = await repository()
  const admin = await make.admin()
  const change = (body: object) =>
    call('PATCH /api/v1/admin/users/{username}', { as: admin, params: { username: 'finn' }, body })
  const said = async () => (await ssh.git(fingerprint, folder, 'ls-remote', address)).stderr
  assert.equal(await said(), '')
  await change({ must_change_password: true })
  assert.match(await said(), /^forgehall: .*https:\/\/forgehall.example\//)
  await change({ must_change_password: false, prohibit_login: true })
  assert.match(await said(), /^forgehall: This account is prohibited from signing in/)
})

test('a key that is removed while a push runs moves no ref', async () => {
  const { address, name, directory } = await repository()
  const doomed = await ssh.addKey(ada)
  const work = await clone(address)
  await commit(work, 3_000_000)
  const [before, after] = [await tipOf(directory), await clientOk(work, 'rev-parse', 'HEAD')]
  const listed = `${after}\n^${before}\n`
  const packing = promisify(execFile)('git', ['pack-objects', '--revs', '--stdout', '-q'], {
    cwd: work,
    encoding: 'buffer',
    maxBuffer: 10_000_000,
  })
  packing.child.stdin?.end(listed)
  const pack = (await packing).stdout
  const connection = ssh.connect(doomed.fingerprint, `git-receive-pack '/ada/${name}.git'`)
  await until('the refs are there', () => connection.out().includes('0000'))
  const command = `${before} ${after} refs/heads/main\0 report-status side-band-64k`
  connection.stdin.write(Buffer.concat([packet(command), Buffer.from('0000'), pack.subarray(0, 2_000_000)]))
  // Git has its quarantine only then: the server asks for the rights once more before it starts git.
  const isReceiving = async () =>
    (await readdir(join(directory, 'objects'))).some((entry) => entry.includes('incoming'))
  await until('git receives the pack', isReceiving)
  assert.equal((await pool`select from forge.push_journal`).length, 1)
  assert.equal(sshCounts.running, 1)
  await call('DELETE /api/v1/user/keys/{id}', { as: ada, params: { id: String(doomed.id) } })
  // The client does not end its side.
  connection.stdin.write(pack.subarray(2_000_000))
  const { out } = await connection.ended
  await until('the push is over', () => sshCounts.running === 0)
  assert.match(out, /you may not push to this repository any more/)
  assert.match(out, /ng refs\/heads\/main/)
  assert.equal(await tipOf(directory), before)
  assert.equal((await pool`select from forge.push_journal`).length, 0)
})

test('a connection without a command names the account; other commands are refused, and no shell runs them', async () => {
  const { name } = await repository()
  const saying = async (fingerprint: string, command: string) => {
    const { code, out, err } = await ssh.connect(fingerprint, command).ended
    assert.deepEqual([code, out], [1, ''], command)
    return err
  }
  assert.equal(
    await saying(key.fingerprint, ''),
    'forgehall: you are ada, by the key "key 1"; this server runs git for you, but no shell',
  )
  const deploy = await addDeployKey({ owner: 'ada', repo: name }, true)
  assert.match(await saying(deploy.fingerprint, ''), /this is a deploy key/)
  assert.match(await saying('SHA256:nobody', ''), /not found/)
  const sentence = "forgehall: this server runs git-upload-pack and git-receive-pack of 'owner/name.git' only"
  for (const command of [
    'sh',
    `git-upload-pack 'ada/${name}.git'; touch ${folder}/made`,
    `git-upload-pack 'ada/${name}.git' $(touch ${folder}/made)`,
    "git-upload-pack '../../../etc'",
    `git-upload-pack 'ada/../ada/${name}.git'`,
    `git-upload-archive 'ada/${name}.git'`,
    `git-upload-pack --strict 'ada/${name}.git'`,
  ])
    assert.equal(await saying(key.fingerprint, command), sentence, command)
  await assert.rejects(stat(join(folder, 'made')))
})

test('what is not the protocol of git ends the connection', async () => {
  const { name } = await repository()
  for (const service of ['git-upload-pack', 'git-receive-pack']) {
    const connection = ssh.connect(key.fingerprint, `${service} 'ada/${name}.git'`)
    connection.stdin.end('GET / HTTP/1.1\r\n\r\n')
    const { code, err } = await connection.ended
    assert.deepEqual([code, err], [1, 'forgehall: this is not the protocol of git'])
  }
})

test('a client that sends nothing is cut off, and holds no git meanwhile', async () => {
  const { name } = await repository()
  for (const service of ['git-upload-pack', 'git-receive-pack']) {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
    const code = await runSsh({
      args: ['serve', key.fingerprint],
      environment: { SSH_ORIGINAL_COMMAND: `${service} 'ada/${name}.git'` },
      folder: ssh.folder,
      program: '',
      ...{ stdin, stdout, stderr },
      silence: { fetch: 1, push: 1 },
    })
    assert.equal(code, 1)
    assert.equal(String(stderr.read()), 'forgehall: the client has sent nothing for too long\n')
    assert.match(String(stdout.read()), /refs\/heads\/main/)
  }
})

test('ssh keys prints the line of a known key with its command, and nothing for others', async () => {
  const ask = (...words: string[]) => run([ssh.program, 'keys', ...words]).ended
  const [type = '', base64 = ''] = key.line.split(' ')
  const { code, out } = await ask(type, base64)
  const program = `'${process.execPath}' '${ssh.program}'`
  assert.equal(code, 0)
  assert.equal(out, `restrict,command="${program} serve ${key.fingerprint}" ${type} ${base64}\n`)
  const deploy = await addDeployKey((await repository()).params, true)
  const [, deployed = ''] = deploy.key.split(' ')
  assert.match((await ask('ssh-ed25519', deployed)).out, /^restrict,command=/)
  const [, unknown = ''] = newKeyLine().split(' ')
  for (const words of [
    ['ssh-ed25519', unknown],
    ['ssh-rsa', base64],
    ['ssh-ed25519', 'x'],
    ['', ''],
  ])
    assert.deepEqual(await ask(...words), { code: 0, out: '', err: '' })
})

test('the time of the last use of a key is recorded', async () => {
  const { id, fingerprint } = await ssh.addKey(ada)
  const { address } = await repository()
  const used = async () =>
    (await call('GET /api/v1/user/keys/{id}', { as: ada, params: { id: String(id) } })).body.last_used_at
  const created = await used()
  clock.tick(120_000)
  await ok(ssh.git(fingerprint, folder, 'ls-remote', address))
  await until('the use is recorded', async () => (await used()) !== created)
  assert.equal(Date.parse(await used()), Math.floor(clock.now().getTime() / 1000) * 1000)
})

test('the time of the last use of a deploy key is recorded', async () => {
  const { address, params } = await repository()
  const deploy = await addDeployKey(params, true)
  assert.equal(deploy.last_used_at, deploy.created_at)
  clock.tick(120_000)
  await ok(ssh.git(deploy.fingerprint, folder, 'ls-remote', address))
  const used = async () =>
    (
      await call('GET /api/v1/repos/{owner}/{repo}/keys/{id}', {
        as: ada,
        params: { ...params, id: deploy.id },
      })
    ).body.last_used_at
  await until('the use is recorded', async () => (await used()) !== deploy.created_at)
  assert.equal(Date.parse(await used()), Math.floor(clock.now().getTime() / 1000) * 1000)
})

test('only the user of the server can open the socket; without a server there is one sentence', async () => {
  const { mode } = await stat(ssh.folder)
  assert.equal(mode & 0o777, 0o700)
  const program = join(folder, 'elsewhere.cjs')
  await copyFile(ssh.program, program)
  const { code, out, err } = await run([program, 'keys', 'ssh-ed25519', 'AAAA']).ended
  assert.deepEqual([code, out, err], [1, '', 'forgehall: the server is not running; try again in a moment'])
})

test('the port of the server gives no rights for the name of a key', async () => {
  const { name } = await repository({ private: true })
  const headers = { 'forgehall-ssh-key': key.fingerprint }
  const refs = await fetch(`${url}/ada/${name}.git/info/refs?service=git-upload-pack`, { headers })
  assert.equal(refs.status, 401)
  assert.equal((await fetch(`${url}/-/ssh/greeting`, { headers })).status, 404)
})
