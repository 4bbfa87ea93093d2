import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { serveApp, startApp } from '../../support/app.ts'
import { openTestDatabase } from '../../support/database.ts'

const { call, url } = await startApp()

test('GET /gitignore/templates lists names byte by byte, for anybody', async () => {
  const { status, body } = await call('GET /api/v1/gitignore/templates')
  assert.equal(status, 200)
  for (const name of ['C++', 'Go', 'Node', 'Python', 'macOS']) assert.ok(body.includes(name), name)
  assert.deepEqual(body, [...body].sort())
})

test('GET /gitignore/templates/{name} gives the text under its cleaned name', async () => {
  for (const name of ['C++', '/C++', './C++', 'Go/../C++', '..\\C++']) {
    const { status, body } = await call('GET /api/v1/gitignore/templates/{name}', { params: { name } })
    assert.equal(status, 200, name)
    assert.equal(body.name, 'C++')
    assert.match(body.source, /\.o\b/)
  }
})

test('GET /label/templates and GET /label/templates/{name} show both sets, without their order', async () => {
  assert.deepEqual((await call('GET /api/v1/label/templates')).body, ['Advanced', 'Default'])
  const { body } = await call('GET /api/v1/label/templates/{name}', { params: { name: 'Default' } })
  assert.equal(body.length, 7)
  assert.deepEqual(Object.keys(body[0]), ['name', 'exclusive', 'color', 'description'])
  assert.deepEqual([body[0].name, body[0].color, body[0].exclusive], ['bug', 'ee0701', false])
})

test('GET /licenses and GET /licenses/{name} give keys, links and texts', async () => {
  const { body: list } = await call('GET /api/v1/licenses')
  const mit = list.find(({ key }: { key: string }) => key === 'MIT')
  assert.deepEqual(mit, { key: 'MIT', name: 'MIT', url: 'https://forgehall.example/api/v1/licenses/MIT' })
  const { body } = await call('GET /api/v1/licenses/{name}', { params: { name: 'MIT' } })
  assert.deepEqual(Object.keys(body), ['key', 'name', 'url', 'implementation', 'body'])
  assert.match(body.body, /Permission is hereby granted/)
  assert.equal((await call('GET /api/v1/licenses/{name}', { params: { name: 'GPL-3.0' } })).status, 200)
})

for (const literal of [
  'GET /gitignore/templates/{name}',
  'GET /label/templates/{name}',
  'GET /licenses/{name}',
]) {
  test(`${literal} knows no other names`, async () => {
    for (const name of ['nothing', 'mit', 'c++', '../../../package.json', '%', '__proto__', 'constructor']) {
      const { status, body } = await call(literal.replace(' ', ' /api/v1'), { params: { name } })
      assert.equal(status, 404, name)
      assert.deepEqual(body, { message: 'not found', url: 'https://forgehall.example/api/swagger' })
    }
  })
}

test('GET /licenses refuses a credential that is wrong, although it needs none', async () => {
  const headers = { authorization: `token ${'0'.repeat(40)}` }
  assert.equal((await call('GET /api/v1/licenses', { headers })).status, 401)
})

test('GET /gitignore/templates shows the items that the operator adds, and the overridden ones instead of the built-in ones', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'forgehall-templates-'))
  await mkdir(join(dir, 'gitignore'))
  await writeFile(join(dir, 'gitignore', 'Ours.gitignore'), '*.ours\n')
  await writeFile(join(dir, 'gitignore', 'Go.gitignore'), '*.go-away\n')
  const database = await openTestDatabase()
  const app = await serveApp(database, { TEMPLATES_DIR: dir })
  after(async () => {
    await app.close()
    await database.close()
    await rm(dir, { recursive: true })
  })
  const get = async (name: string) =>
    (await app.call('GET /api/v1/gitignore/templates/{name}', { params: { name } })).body
  assert.deepEqual(await get('Ours'), { name: 'Ours', source: '*.ours\n' })
  assert.deepEqual(await get('Go'), { name: 'Go', source: '*.go-away\n' })
  assert.ok((await app.call('GET /api/v1/gitignore/templates')).body.includes('Ours'))
})

test('GET /api/v1/licenses sends the same bytes to anonymous callers again, and still checks credentials', async () => {
  const path = '/api/v1/licenses'
  // A body that nobody reads keeps its connection open.
  const ask = async (headers: Record<string, string> = {}, query = '', method = 'GET') => {
    const answer = await fetch(url + path + query, { method, headers })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const first = await ask()
  const etag = first.headers.get('etag') ?? ''
  for (let again = 0; again < 3; again++) {
    const answer = await ask()
    assert.deepEqual([answer.status, answer.headers.get('etag'), answer.text], [200, etag, first.text])
    assert.notEqual(answer.headers.get('x-request-id'), first.headers.get('x-request-id'))
  }
  assert.equal((await ask({ 'if-none-match': etag })).status, 304)
  const head = await ask({}, '', 'HEAD')
  assert.deepEqual([head.status, head.text], [200, ''])
  assert.equal((await ask({ authorization: 'token nonsense' })).status, 401)
  assert.equal((await ask({ authorization: `Bearer ${'0'.repeat(40)}` })).status, 401)
  assert.equal((await ask({ sudo: 'ada' })).status, 403)
  assert.equal((await ask({}, '?sudo=ada')).status, 403)
  assert.equal((await ask({}, '?x')).status, 200)
  assert.equal((await ask({}, '?sudo=ada')).status, 403)
  assert.equal((await ask({}, '', 'POST')).status, 405)
})
