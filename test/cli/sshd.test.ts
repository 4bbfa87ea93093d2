import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { serveBinary, serveHome, stopBinary } from '../support/binary.ts'
import { temporaryFolder } from '../support/folder.ts'
import { clientOk } from '../support/git.ts'
import { hasSshd, startSshd } from '../support/processes/sshd.ts'
import { until } from '../support/wait.ts'

const skip = !hasSshd && 'the OpenSSH server is not installed'
const token = '0123456789012345678901234567890123456789'
const environment = { SSH_URL: 'ssh://git@forge.example', ADMIN_TOKEN: token, ADMIN_USERNAME: 'ada' }
const folder = await temporaryFolder()
const { home, serving } = await serveHome(environment)
const sshd = hasSshd ? await startSshd(home.dataDir) : undefined

async function post(path: string, body: object): Promise<void> {
  const headers = { authorization: `token ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${serving.url}/api/v1${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  assert.equal(answer.status, 201, await answer.text())
}

test('docs/sshd.conf lets a key of a user clone, push and fetch, and nobody else in', { skip }, async () => {
  assert.ok(sshd)
  const [key, other] = [await sshd.newKey(), await sshd.newKey()]
  await post('/user/keys', { title: 'laptop', key: key.line })
  await post('/user/repos', { name: 'tool', private: true, auto_init: true })
  const address = `${sshd.url}/ada/tool.git`
  for (const version of ['0', '2']) {
    const flags = ['-c', `protocol.version=${version}`]
    const work = join(folder, `work${version}`)
    const git = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await sshd.git(key, folder, ...flags, ...args)
      assert.equal(code, 0, stderr)
      return stdout
    }
    await git('clone', '-q', address, work)
    await writeFile(join(work, `file${version}`), 'text')
    await clientOk(work, 'add', '.')
    await clientOk(work, 'commit', '-qm', 'Add a file')
    await git('-C', work, 'push', '-q')
    const tip = await clientOk(work, 'rev-parse', 'HEAD')
    assert.equal((await git('ls-remote', address, 'main')).split('\t')[0], tip)
    await git('-C', work, 'fetch', '-q')
  }
  const { stderr } = await sshd.git(other, folder, 'ls-remote', address)
  assert.match(stderr, /Permission denied \(publickey\)/)
})

test('over SSH there is no shell and no terminal', { skip }, async () => {
  assert.ok(sshd)
  const key = await sshd.newKey()
  await post('/user/keys', { title: 'desk', key: key.line })
  const greeted = await sshd.ssh(key)
  assert.deepEqual([greeted.code, greeted.stdout], [1, ''])
  assert.match(greeted.stderr, /you are ada, by the key "desk"/)
  const asked = await sshd.ssh(key, 'touch', join(folder, 'made'), ';', 'sh')
  assert.match(asked.stderr, /this server runs git-upload-pack and git-receive-pack/)
  assert.match((await sshd.ssh(key, '-tt')).stderr, /you are ada|PTY allocation request failed/)
})

test('with docs/sshd.conf, many clients that say nothing keep no other address out', { skip }, async () => {
  assert.ok(sshd)
  const key = await sshd.newKey()
  await post('/user/keys', { title: 'radio', key: key.line })
  const { port, hostname } = new URL(sshd.url)
  let refused = 0
  const silent = Array.from({ length: 150 }, () =>
    connect({ port: Number(port), host: hostname, localAddress: '127.0.0.2' })
      .on('error', () => {})
      .on('close', () => refused++)
      .resume(),
  )
  try {
    await until('what is beyond the bound of an address is refused', () => refused === silent.length - 20)
    assert.match((await sshd.ssh(key)).stderr, /you are ada/)
    assert.equal(refused, silent.length - 20)
  } finally {
    for (const socket of silent) socket.destroy()
  }
})

test('docs/sshd.conf passes the version of the protocol on', { skip }, async () => {
  assert.ok(sshd)
  const key = await sshd.newKey()
  await post('/user/keys', { title: 'lamp', key: key.line })
  await post('/user/repos', { name: 'versions', auto_init: true })
  // In version 2, a client asks for the refs in a request of its own.
  const requests = () =>
    serving.lines().filter(({ route }) => String(route).endsWith('/git-upload-pack')).length
  const before = requests()
  for (const version of ['2', '0', '2']) {
    const args = ['-c', `protocol.version=${version}`, 'ls-remote', `${sshd.url}/ada/versions.git`]
    const { code, stderr } = await sshd.git(key, folder, ...args)
    assert.equal(code, 0, stderr)
  }
  await until('both requests are in the log', () => requests() >= before + 2)
  assert.equal(requests(), before + 2)
})

test('while no server runs, no key is accepted; then another process serves', { skip }, async () => {
  assert.ok(sshd)
  const key = await sshd.newKey()
  await post('/user/keys', { title: 'phone', key: key.line })
  await stopBinary(serving)
  assert.match((await sshd.ssh(key)).stderr, /Permission denied \(publickey\)/)
  const next = await serveBinary({ ...home.environment, ...environment })
  try {
    await until('the key is accepted', async () => (await sshd.ssh(key)).stderr.includes('you are ada'))
  } finally {
    await stopBinary(next)
  }
})
