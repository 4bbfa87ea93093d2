import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { clientOk } from '../../support/git.ts'

const folder = await temporaryFolder()
const { call, make, url } = await startApp({ DATA_DIR: join(folder, 'data') })
const [ada] = await make.people('ada')
const GET = 'GET /api/v1/repos/{owner}/{repo}/archive/{archive...}'
const params = { owner: 'ada', repo: 'Code' }

for (const name of ['Code', 'Hollow'])
  await call('POST /api/v1/user/repos', { as: ada, body: { name, auto_init: name === 'Code' } })
const path = join(folder, 'data', 'repositories', 'ada', 'code.git')
const head = await clientOk(path, 'rev-parse', 'main')
await clientOk(path, 'branch', 'a/b', 'main')
await clientOk(path, 'tag', '-a', 'v1', '-m', 'one', 'main')

const bytesOf = async (address: string) => {
  const response = await fetch(url + address)
  return { response, bytes: Buffer.from(await response.arrayBuffer()) }
}

test(`${GET} sends the files of a branch, tag or commit, by API and page alike`, async () => {
  for (const name of ['main', 'a/b', 'v1', head, head.slice(0, 10)]) {
    const { response, bytes } = await bytesOf(`/api/v1/repos/ada/Code/archive/${name}.tar.gz`)
    assert.equal(response.status, 200, name)
    const listed = execFileSync('tar', ['-tz'], { input: bytes, encoding: 'utf8' })
    assert.deepEqual(listed.trim().split('\n'), ['code/', 'code/README.md'])
    const page = await bytesOf(`/ada/Code/archive/${name}.tar.gz`)
    assert.ok(page.bytes.equals(bytes), name)
  }
  const { response } = await bytesOf('/api/v1/repos/ada/Code/archive/a/b.tar.gz')
  assert.match(
    response.headers.get('content-disposition') ?? '',
    /^attachment; filename="?Code-a-b\.tar\.gz"?/,
  )
})

test(`${GET} sends a zip file`, async () => {
  const { bytes } = await bytesOf('/api/v1/repos/ada/Code/archive/main.zip')
  assert.equal(bytes.toString('latin1', 0, 4), 'PK\x03\x04')
  assert.ok(bytes.includes('code/README.md'))
})

test(`${GET} refuses other formats, and names without a commit`, async () => {
  for (const [archive, status] of [
    ['main', 400],
    ['main.rar', 400],
    ['.zip', 400],
    ['nowhere.zip', 404],
    ['nowhere.bundle', 404],
    ['--output=x.zip', 404],
    ['main:README.md.zip', 404],
  ] as const)
    assert.equal((await call(GET, { as: ada, params: { ...params, archive } })).status, status, archive)
  const hollow = { params: { owner: 'ada', repo: 'Hollow', archive: 'main.zip' } }
  assert.equal((await call(GET, { as: ada, ...hollow })).status, 404)
})

for (const [literal, format] of [
  ['GET /api/v1/repos/{owner}/{repo}/zipball/{ref...}', 'zip'],
  ['GET /api/v1/repos/{owner}/{repo}/tarball/{ref...}', 'tar.gz'],
  ['GET /api/v1/repos/{owner}/{repo}/bundle/{ref...}', 'bundle'],
] as const)
  test(`${literal} sends the same as archive does`, async () => {
    const [, kind] = /(zipball|tarball|bundle)/.exec(literal) ?? []
    const [one, other] = [
      await bytesOf(`/api/v1/repos/ada/Code/${kind}/a/b`),
      await bytesOf(`/api/v1/repos/ada/Code/archive/a/b.${format}`),
    ]
    assert.equal(one.response.status, 200)
    assert.ok(one.bytes.equals(other.bytes))
    assert.equal(
      one.response.headers.get('content-disposition'),
      other.response.headers.get('content-disposition'),
    )
    for (const [ref, status] of [
      ['nowhere', 404],
      ['a\0', 404],
      ['main..a/b', 404],
      ['HEAD^', 404],
      ['x'.repeat(4000), 404],
    ] as const)
      assert.equal((await call(literal, { as: ada, params: { ...params, ref } })).status, status, ref)
    const query = { path: 'none' }
    assert.equal((await call(literal, { as: ada, params: { ...params, ref: 'main' }, query })).status, 400)
    const body = { private: true }
    await call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params, body })
    assert.equal((await call(literal, { params: { ...params, ref: 'main' } })).status, 404)
    await call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params, body: { private: false } })
  })

for (const format of ['sha1', 'sha256'])
  test(`${GET} sends a bundle that git can clone (${format})`, async () => {
    const name = `bundled-${format}`
    const body = { name, auto_init: true, object_format_name: format }
    await call('POST /api/v1/user/repos', { as: ada, body })
    const { bytes } = await bytesOf(`/api/v1/repos/ada/${name}/archive/main.bundle`)
    await writeFile(join(folder, `${name}.bundle`), bytes)
    await clientOk(folder, 'clone', '-q', `${name}.bundle`, name)
    const clone = join(folder, name)
    assert.equal(await clientOk(clone, 'rev-parse', '--abbrev-ref', 'HEAD'), 'bundle')
    const bare = join(folder, 'data', 'repositories', 'ada', `${name}.git`)
    assert.equal(await clientOk(clone, 'rev-parse', 'HEAD'), await clientOk(bare, 'rev-parse', 'main'))
    assert.equal(await clientOk(bare, 'for-each-ref', '--format=%(refname)'), 'refs/heads/main')
  })

test(`${GET} sends only the files at the requested paths`, async () => {
  const files = ['docs/a', 'docs/b', 'c*'].map((path) => ({ operation: 'create', path, content: '' }))
  const literal = 'POST /api/v1/repos/{owner}/{repo}/contents'
  await call(literal, { as: ada, params, body: { files, new_branch: 'more' } })
  const { bytes } = await bytesOf('/api/v1/repos/ada/Code/archive/more.tar.gz?path=docs/b&path=c*')
  const listed = execFileSync('tar', ['-tz'], { input: bytes, encoding: 'utf8' })
  assert.deepEqual(listed.trim().split('\n').sort(), ['code/', 'code/c*', 'code/docs/', 'code/docs/b'])
  const ask = async (query: string) =>
    (await bytesOf(`/api/v1/repos/ada/Code/archive/more${query}`)).response.status
  for (const path of ['none', 'docs/*', '..', '.git', ':/', '', 'a%00b', 'x'.repeat(5000)])
    assert.equal(await ask(`.zip?path=${path}`), 400, path.slice(0, 20))
  assert.equal(await ask('.bundle?path=docs'), 400)
  assert.equal(await ask(`.zip?${'path=docs&'.repeat(101)}`), 400)
})
