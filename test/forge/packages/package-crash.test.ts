import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHome, serveBinary, stopBinary } from '../../support/binary.ts'
import { basic } from '../../support/forge/make.ts'
import { longest, until } from '../../support/wait.ts'

const home = await openHome()
const environment = { ...home.environment, ADMIN_USERNAME: 'ada', ADMIN_PASSWORD: 'a password for tests' }
const who = basic('ada')

test('after a kill every listed file exists, and so does every acknowledged one', {
  timeout: longest,
}, async () => {
  const acknowledged = new Map<string, string>()
  for (let round = 0; round < 3; round++) {
    const server = await serveBinary(environment)
    let isAlive = true
    /** Publishes until the server dies. */
    const publish = async (worker: number) => {
      for (let n = 0; isAlive; n++) {
        const content = `${round} ${worker} ${n}`.repeat(5000)
        const path = `p${worker}/${round}/f${n}`
        const sent = await fetch(`${server.url}/api/packages/ada/generic/${path}`, {
          method: 'PUT',
          body: content,
          headers: who,
        })
          .then(({ status }) => status)
          .catch(() => 0)
        if (sent === 201) acknowledged.set(path, content)
      }
    }
    const before = acknowledged.size
    const workers = [0, 1, 2, 3].map(publish)
    await until('some are acknowledged', () => acknowledged.size > before + 10)
    server.signal('SIGKILL')
    isAlive = false
    await Promise.all([server.ended, ...workers])
  }

  const server = await serveBinary(environment)
  for (const [path, content] of acknowledged) {
    const back = await fetch(`${server.url}/api/packages/ada/generic/${path}`, { headers: who })
    assert.equal(back.status, 200, path)
    assert.equal(await back.text(), content, path)
  }
  for (let page = 1, count = 1; count > 0; page++) {
    const list = `${server.url}/api/v1/packages/ada?limit=50&page=${page}`
    const versions: { name: string; version: string }[] = await (await fetch(list, { headers: who })).json()
    count = versions.length
    for (const { name, version } of versions) {
      const files: { name: string }[] = await (
        await fetch(`${server.url}/api/v1/packages/ada/generic/${name}/${version}/files`, { headers: who })
      ).json()
      assert.ok(files.length > 0)
      for (const file of files) {
        const back = await fetch(`${server.url}/api/packages/ada/generic/${name}/${version}/${file.name}`, {
          headers: who,
        })
        assert.equal(back.status, 200, file.name)
        await back.arrayBuffer()
      }
    }
  }
  await stopBinary(server)
})
