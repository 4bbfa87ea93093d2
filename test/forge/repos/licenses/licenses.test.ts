import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../../support/app.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { startRepository } from '../../../support/forge/workflows.ts'

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: join(folder, 'data') })
const { call, make, pool } = app
const [ada, eve] = await make.people('ada', 'eve')
const boss = await make.admin({ name: 'boss' })

const GET = 'GET /api/v1/repos/{owner}/{repo}/licenses'
const REPO = 'GET /api/v1/repos/{owner}/{repo}'
const EDIT = 'PATCH /api/v1/repos/{owner}/{repo}'

const on = (repo: string) => ({ params: { owner: 'ada', repo } })
const edit = (repo: string, body: object) => call(EDIT, { as: ada, ...on(repo), body })

/** The text of a licence as the API gives it, with its placeholders. */
const textOf = async (name: string): Promise<string> =>
  (await call('GET /api/v1/licenses/{name}', { params: { name } })).body.body

/** What the operation says, which the repository must say, too. */
async function licensesOf(repo: string): Promise<string[]> {
  const [listed, shown] = [
    await call(GET, { as: ada, ...on(repo) }),
    await call(REPO, { as: ada, ...on(repo) }),
  ]
  assert.deepEqual(shown.body.licenses, listed.body)
  return listed.body
}

const mit = (await textOf('MIT')).replace('<year>', '2019-2024').replace('<copyright holders>', 'Ada, Inc.')

test(`${GET} names the licence of a pushed file until the default branch moves on`, async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'pushed')
  assert.deepEqual(await licensesOf('pushed'), [])
  await repo.push({ LICENSE: mit.replaceAll('\n', '\r\n').replaceAll('  ', ' ') })
  assert.deepEqual(await licensesOf('pushed'), ['MIT'])
  await repo.push({ COPYING: await textOf('GPL-3.0') }, { branch: 'other' })
  assert.deepEqual(await licensesOf('pushed'), ['MIT'])
  await edit('pushed', { default_branch: 'other' })
  assert.deepEqual(await licensesOf('pushed'), ['GPL-3.0-only', 'MIT'])
  await edit('pushed', { default_branch: 'main' })
  assert.deepEqual(await licensesOf('pushed'), ['MIT'])
  await repo.git('checkout', '-q', 'main')
  await repo.push({
    LICENSE: null,
    COPYING: null,
    'docs/LICENSE': mit,
    'LICENSE.txt': 'Ask Ada before you copy anything.\n',
  })
  assert.deepEqual(await licensesOf('pushed'), [])
})

test(`${GET} distinguishes similar licences, and finds several in one file`, async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'similar')
  for (const name of ['BSD-2-Clause', 'BSD-3-Clause', 'ISC', '0BSD', 'Apache-2.0', 'MPL-2.0', 'Unlicense']) {
    await repo.push({ 'LICENSE.md': `# The licence\n\n${await textOf(name)}` })
    assert.deepEqual(await licensesOf('similar'), [name])
  }
  for (const [name, shown] of [
    ['GPL-2.0-or-later', 'GPL-2.0-only'],
    ['AGPL-3.0', 'AGPL-3.0-only'],
  ] as const) {
    await repo.push({ 'LICENSE.md': await textOf(name) })
    assert.deepEqual(await licensesOf('similar'), [shown])
  }
  await repo.push({ 'LICENSE.md': `${mit}\n\n---\n\n${await textOf('Apache-2.0')}` })
  assert.deepEqual(await licensesOf('similar'), ['Apache-2.0', 'MIT'])
  await repo.push({ 'LICENSE.md': null, 'LICENSE-MIT': mit, 'LICENCE-APACHE': await textOf('Apache-2.0') })
  assert.deepEqual(await licensesOf('similar'), ['Apache-2.0', 'MIT'])
})

test(`${GET} detects licences of a commit by API and of an adopted directory`, async () => {
  await call('POST /api/v1/user/repos', { as: ada, body: { name: 'made', auto_init: true, license: 'MIT' } })
  assert.deepEqual(await licensesOf('made'), ['MIT'])
  const body = { content: Buffer.from(await textOf('Zlib')).toString('base64') }
  const literal = 'POST /api/v1/repos/{owner}/{repo}/contents/{filepath...}'
  const written = await call(literal, {
    as: ada,
    params: { ...on('made').params, filepath: 'COPYING' },
    body,
  })
  assert.equal(written.status, 201)
  assert.deepEqual(await licensesOf('made'), ['Zlib', 'MIT'])
  await pool`delete from forge.repository where name = 'made'`
  const adopting = 'POST /api/v1/admin/unadopted/{owner}/{repo}'
  assert.equal((await call(adopting, { as: boss, ...on('made') })).status, 204)
  assert.deepEqual(await licensesOf('made'), ['Zlib', 'MIT'])
})

test(`${GET} is for those who may read the code`, async () => {
  assert.deepEqual((await call(GET, on('similar'))).body, ['Apache-2.0', 'MIT'])
  await edit('similar', { archived: true, private: true })
  assert.equal((await call(GET, on('similar'))).status, 404)
  assert.equal((await call(GET, { as: eve, ...on('similar') })).status, 404)
  assert.equal((await call(GET, { as: ada, ...on('similar') })).status, 200)
  assert.equal((await call(GET, { as: ada, ...on('none') })).status, 404)
})
