import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveHome } from '../support/binary.ts'
import { basic } from '../support/forge/make.ts'
import { runInProcess } from '../support/in-process.ts'

const { home, serving } = await serveHome({ ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'wished for it' })

async function ask(method: string, path: string, body?: object) {
  const response = await fetch(`${serving.url}/api/v1/${path}`, {
    method,
    headers: { ...basic('root', 'wished for it'), 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return response.json()
}

await ask('POST', 'orgs', { username: 'Guild' })
await ask('POST', 'orgs/guild/repos', { name: 'Shed' })

const path = 'actions/runners/registration-token'

for (const [args, prefix, target] of [
  [[], 'admin', 'site '],
  [['root'], 'user', 'user root'],
  [['GUILD'], 'orgs/guild', 'organization Guild'],
  [['guild/shed'], 'repos/guild/shed', 'repository Guild/Shed'],
] as const) {
  test(`runner-token replace ${args.join(' ')} replaces a registration token and prints the new one`, async () => {
    const { token: old } = await ask('POST', `${prefix}/${path}`)
    const { code, out, err } = await runInProcess(['runner-token', 'replace', ...args], home.environment)
    assert.deepEqual([code, err], [0, ''])
    assert.match(out, /^[A-Za-z0-9]{40}\n$/)
    const { token } = await ask('POST', `${prefix}/${path}`)
    assert.equal(`${token}\n`, out)
    assert.notEqual(token, old)
    const { entries } = await ask('GET', 'admin/audit?actor=command+line&limit=1')
    const [{ action, target: named }] = entries
    assert.deepEqual([action, `${named.kind} ${named.name}`], ['registration_token.replaced', target])
  })
}

for (const [args, sentence] of [
  [['nobody'], /there is no "nobody"/],
  [['guild/nothing'], /there is no "guild\/nothing"/],
  [['guild/'], /there is no "guild\/"/],
  [['guild/shed/more'], /there is no "guild\/shed\/more"/],
  [['guild', 'shed'], /takes one name/],
] as const) {
  test(`runner-token replace ${args.join(' ')} is refused in one sentence`, async () => {
    const { code, out, err } = await runInProcess(['runner-token', 'replace', ...args], home.environment)
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, sentence)
    assert.equal(err.trim().split('\n').length, 1, err)
  })
}
