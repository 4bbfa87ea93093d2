import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { client, clientOk } from '../../support/git.ts'

const folder = await temporaryFolder()
const { call, url, make, pool } = await startApp({ DATA_DIR: join(folder, 'data') })
const [ada, bob] = [await make.person({ name: 'ada' }), await make.person({ name: 'bob' })]

let made = 0
async function repository(body: object = {}) {
  const name = `repo${++made}`
  await call('POST /api/v1/user/repos', { as: ada, body: { name, ...body } })
  const path = join(folder, name)
  await clientOk(folder, 'init', '-q', path)
  await clientOk(path, 'commit', '-q', '--allow-empty', '-m', 'first')
  const params = { owner: 'ada', repo: name }
  const push = (by: Somebody, options: readonly string[], ref = 'main') => {
    const address = new URL(`ada/${name}.git`, url)
    address.username = by.name
    address.password = by.token
    const given = options.flatMap((option) => ['-o', option])
    return client(path, 'push', ...given, address.href, `HEAD:refs/heads/${ref}`)
  }
  const flags = async () => {
    const shown = await call('GET /api/v1/repos/{owner}/{repo}', { as: ada, params })
    return [shown.body.private, shown.body.template, shown.body.empty]
  }
  return { params, push, flags }
}

const accepted: readonly (readonly [readonly string[], readonly boolean[]])[] = [
  [['repo.private=true'], [true, false, false]],
  [['repo.private'], [true, false, false]],
  [
    ['repo.template=T', 'repo.private=1'],
    [true, true, false],
  ],
  [
    ['repo.private=true', 'repo.private=false'],
    [false, false, false],
  ],
  [
    ['ci.skip', 'repo.unknown=true', '=', 'toString=true'],
    [false, false, false],
  ],
]
for (const [options, expected] of accepted)
  test(`git push -o ${options.join(' -o ')} of the owner sets private, template: ${expected.slice(0, 2)}`, async () => {
    const { push, flags } = await repository()
    const pushed = await push(ada, options)
    assert.equal(pushed.code, 0, JSON.stringify(pushed))
    assert.deepEqual(await flags(), expected)
  })

test('git push -o repo.private=false publishes a repository, and the audit trail says so', async () => {
  const { push, flags } = await repository({ private: true })
  assert.equal((await push(ada, ['repo.private=false'])).code, 0)
  assert.deepEqual(await flags(), [false, false, false])
  const [row] =
    await pool`select actor_name, details from forge.audit where action = 'repository.edited' order by id desc`
  assert.deepEqual([row?.actor_name, row?.details], ['ada', { is_private: false }])
})

for (const option of ['repo.private=maybe', 'repo.template='])
  test(`git push -o ${option} is refused and pushes nothing`, async () => {
    const { push, flags } = await repository()
    const pushed = await push(ada, [option])
    assert.equal(pushed.code, 1)
    assert.match(JSON.stringify(pushed), /is true or false/)
    assert.deepEqual(await flags(), [false, false, true])
  })

test('git push -o repo.private of a writer who is no administrator is refused and pushes nothing', async () => {
  const { params, push, flags } = await repository()
  const add = 'PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}'
  const give = (permission: string) =>
    call(add, { as: ada, params: { ...params, collaborator: 'bob' }, body: { permission } })
  await give('write')
  const refused = await push(bob, ['repo.private'])
  assert.match(JSON.stringify(refused), /only administrators of the repository may set repo.private/)
  assert.deepEqual(await flags(), [false, false, true])
  assert.equal((await push(bob, ['ci.skip'])).code, 0)
  await give('admin')
  assert.equal((await push(bob, ['repo.private'], 'next')).code, 0)
  assert.deepEqual(await flags(), [true, false, false])
})
