import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
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

test(`${GET} refuses other formats, and names that lead to no commit`, async () => {
  for (const [archive, status] of [
    ['main', 400],
    ['main.rar', 400],
    ['.zip', 400],
    ['nowhere.zip', 404],
    ['--output=x.zip', 404],
    ['main:README.md.zip', 404],
  ] as const)
    assert.equal((await call(GET, { as: ada, params: { ...params, archive } })).status, status, archive)
  const hollow = { params: { owner: 'ada', repo: 'Hollow', archive: 'main.zip' } }
  assert.equal((await call(GET, { as: ada, ...hollow })).status, 404)
})
