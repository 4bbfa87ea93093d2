import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { serveSshAt, sshUrlOf } from '../../../src/forge/repos/ssh-address.ts'
import { startApp } from '../../support/app.ts'
import { newKeyLine } from '../../support/forge/ssh-key.ts'

const { call, make, url } = await startApp()
const ada = await make.person({ name: 'ada' })
const params = { owner: 'ada', repo: 'tool' }
await call('POST /api/v1/user/repos', { as: ada, body: { name: 'tool' } })
const page = async () => (await fetch(`${url}/ada/tool`)).text()
after(() => serveSshAt(undefined))

test('the address of a repository over SSH has the short form where the port is the usual one', () => {
  const shown = (address: string | undefined) => {
    serveSshAt(address)
    return sshUrlOf('https://forgehall.example/', 'ada/tool')
  }
  assert.equal(shown('ssh://git@ssh.example'), 'git@ssh.example:ada/tool.git')
  assert.equal(shown('ssh://forge@ssh.example:22/'), 'forge@ssh.example:ada/tool.git')
  assert.equal(shown('ssh://git@ssh.example:2222'), 'ssh://git@ssh.example:2222/ada/tool.git')
  assert.equal(shown(undefined), 'git@forgehall.example:ada/tool.git')
})

test('GET /api/v1/repos/{owner}/{repo} and its page have the address that SSH_URL names', async () => {
  assert.doesNotMatch(await page(), /git@/)
  serveSshAt('ssh://git@ssh.example:2222')
  const address = 'ssh://git@ssh.example:2222/ada/tool.git'
  assert.equal((await call('GET /api/v1/repos/{owner}/{repo}', { as: ada, params })).body.ssh_url, address)
  assert.ok((await page()).includes(`data-copy="${address}"`))
})

test('GET /{username}.keys lists the keys of a user, without comments', async () => {
  const lines = [newKeyLine('at home'), newKeyLine('ada@example.com')]
  for (const [at, key] of lines.entries())
    await call('POST /api/v1/user/keys', { as: ada, body: { title: `key ${at}`, key } })
  const { status, body } = await call('GET /{username}.keys', { params: { username: 'ada' } })
  assert.equal(status, 200)
  assert.equal(body, lines.map((line) => `${line.split(' ').slice(0, 2).join(' ')}\n`).join(''))
  const none = await call('GET /{username}.keys', { params: { username: 'nobody' } })
  assert.equal(none.status, 404)
})
