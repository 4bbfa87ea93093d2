import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { bearer } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'
import { ACCEPTED, RSA_2048 } from '../../support/forge/ssh-key.fixtures.ts'
import { newKeyLine } from '../../support/forge/ssh-key.ts'

const { call, pool, clock, make } = await startApp()
const boss = await make.admin({ name: 'boss' })
const [owner, helper, eve] = await make.people('Owner', 'helper', 'eve')

const LIST = 'GET /api/v1/repos/{owner}/{repo}/keys'
const ADD = 'POST /api/v1/repos/{owner}/{repo}/keys'
const SHOW = 'GET /api/v1/repos/{owner}/{repo}/keys/{id}'
const REMOVE = 'DELETE /api/v1/repos/{owner}/{repo}/keys/{id}'
const ADD_OWN = 'POST /api/v1/user/keys'

interface Named {
  name: string
}

const ask = (literal: string, { name }: Named, as?: { authorization: string }, more: Asked = {}) =>
  call(literal, {
    ...(as && { as }),
    ...more,
    params: { owner: 'owner', repo: name, id: more.id ?? 1 },
  })

interface Asked {
  id?: number | string
  body?: unknown
  query?: Record<string, string | number>
}

const add = (repo: Named, title: string, key = newKeyLine(), more = {}, as = owner) =>
  ask(ADD, repo, as, { body: { title, key, ...more } })
const titles = async (repo: Named, query = {}) =>
  (await ask(LIST, repo, owner, { query })).body.map(({ title }: { title: string }) => title)
const admit = (repo: Named, permission: string) =>
  call('PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', {
    as: owner,
    params: { owner: 'owner', repo: repo.name, collaborator: 'helper' },
    body: { permission },
  })

test(`${ADD}, ${SHOW} and ${LIST} answer with the key, and with the repository to the owner`, async () => {
  const repo = await make.repository(owner)
  const [fixture] = ACCEPTED
  const created_at = `${clock.now().toISOString().slice(0, 19)}Z`
  const { status, body } = await add(repo, 'ci', fixture?.line, { read_only: true })
  const { id } = body
  const expected = {
    id,
    key_id: body.key_id,
    key: fixture?.line,
    url: `https://forgehall.example/api/v1/repos/Owner/${repo.name}/keys/${id}`,
    title: 'ci',
    fingerprint: fixture?.sha256,
    created_at,
    last_used_at: created_at,
    read_only: true,
  }
  assert.deepEqual([status, body], [201, expected])

  const shown = await ask(SHOW, repo, owner, { id })
  const { repository, ...rest } = shown.body
  assert.deepEqual([shown.status, rest], [200, expected])
  assert.equal(repository.full_name, `Owner/${repo.name}`)
  assert.deepEqual(repository.permissions, { admin: false, push: false, pull: true })
  const writing = await add(repo, 'deploy')
  assert.equal(writing.body.read_only, false)
  const listed = await ask(LIST, repo, boss)
  assert.equal(listed.headers.get('x-total-count'), '2')
  assert.deepEqual(listed.body[0], shown.body)
  assert.equal(listed.body[1].repository.permissions.push, true)

  await admit(repo, 'admin')
  assert.deepEqual((await ask(LIST, repo, helper)).body, [expected, writing.body])
  assert.deepEqual((await ask(SHOW, repo, helper, { id })).body, expected)
})

test(`${LIST} pages, and finds a key id and a fingerprint`, async () => {
  const [repo, other] = [await make.repository(owner), await make.repository(owner)]
  const key = newKeyLine()
  await add(other, 'elsewhere', key)
  const { body } = await add(repo, 'a', key)
  await add(repo, 'b')
  assert.deepEqual(await titles(repo, { limit: 1, page: 2 }), ['b'])
  assert.deepEqual(await titles(repo, { key_id: body.key_id }), ['a'])
  assert.deepEqual(await titles(repo, { fingerprint: body.fingerprint }), ['a'])
  for (const query of [{ key_id: 987654321 }, { fingerprint: 'SHA256:none' }, { fingerprint: '\0' }])
    assert.deepEqual(await titles(repo, query), [])
})

test(`${ADD} refuses a key and a title that the repository has; another repository may have both`, async () => {
  const [repo, other] = [await make.repository(owner), await make.repository(owner)]
  const key = newKeyLine('first')
  const { body } = await add(repo, 'ci', key)
  const again = key.replace('first', 'second')
  const both = await add(repo, 'ci', again)
  holdRefusal(both, 422, 'This key has already been added to this repository')
  holdRefusal(await add(repo, 'ci'), 422, 'A key with the same name already exists')
  const elsewhere = await add(other, 'ci', again)
  assert.deepEqual([elsewhere.status, elsewhere.body.key_id], [201, body.key_id])
  assert.notEqual(elsewhere.body.id, body.id)
  assert.notEqual((await add(other, 'more')).body.key_id, body.key_id)
  assert.equal((await add(repo, 'l'.repeat(20_000))).status, 201)
})

test(`${ADD} and ${ADD_OWN}: a key is of users or of repositories, never of both`, async () => {
  const repo = await make.repository(owner)
  const [key, own] = [newKeyLine(), newKeyLine()]
  assert.equal((await add(repo, 'ci', key)).status, 201)
  const used = 'Key content has been used as non-deploy key'
  holdRefusal(await call(ADD_OWN, { as: eve, body: { title: 'laptop', key } }), 422, used)
  assert.equal((await call(ADD_OWN, { as: eve, body: { title: 'laptop', key: own } })).status, 201)
  holdRefusal(await add(repo, 'laptop', own), 422, used)
  for (let round = 0; round < 5; round++) {
    const raced = newKeyLine()
    const answers = await Promise.all([
      call(ADD_OWN, { as: eve, body: { title: `raced ${round}`, key: raced } }),
      add(repo, `raced ${round}`, raced),
      add(repo, `raced ${round} again`, raced),
    ])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422])
  }
})

test(`${ADD} refuses what is no key, and stores nothing`, async () => {
  const repo = await make.repository(owner)
  const key = newKeyLine()
  for (const [body, message] of [
    [{ title: 'ci', key: 'hello' }, /^Invalid key content: /],
    [{ title: 'ci', key: RSA_2048.line }, /^Invalid key content: key length is not enough/],
    [{ title: '', key }, /^\[Title\]: Required$/],
    [{ title: 'ci' }, /^\[Key\]: Required$/],
    [{ title: 'ci', key, read_only: 'yes' }, /./],
    [{ title: 'a\0b', key }, /./],
    ['{', /./],
  ] as const) {
    const answer = await ask(ADD, repo, owner, { body })
    assert.equal(answer.status, 422, JSON.stringify(body))
    assert.match(answer.body.message, message)
  }
  assert.deepEqual(await titles(repo), [])
})

test(`${REMOVE} deletes once, answers 204 for a deleted key, and 404 for one of another repository`, async () => {
  const [repo, other] = [await make.repository(owner), await make.repository(owner)]
  const { id, fingerprint } = (await add(repo, 'ci')).body
  holdRefusal(await ask(REMOVE, other, owner, { id }), 404, 'not found')
  holdRefusal(await ask(SHOW, other, owner, { id }), 404, 'not found')
  const answers = await Promise.all([1, 2, 3].map(() => ask(REMOVE, repo, owner, { id })))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [204, 204, 204],
  )
  holdRefusal(await ask(SHOW, repo, owner, { id }), 404, 'not found')
  for (const no of ['x', 0, '99999999999999999999'])
    assert.equal((await ask(REMOVE, repo, owner, { id: no })).status, 404, String(no))
  const deeds = await pool`
    select action, details
    from forge.audit
    where target_id = ${repo.id} and action like 'repository.key%'
    order by id`
  assert.deepEqual(
    deeds.map(({ action, details }) => [action, details]),
    [
      ['repository.key_added', { id, title: 'ci', fingerprint, read_only: false }],
      ['repository.key_removed', { id, title: 'ci', fingerprint }],
    ],
  )
})

for (const literal of [LIST, ADD, SHOW, REMOVE])
  test(`${literal} is for administrators of the repository`, async () => {
    const repo = await make.repository(owner, { is_private: true })
    const { id } = (await add(repo, 'ci')).body
    const request = { id, body: literal === ADD ? { title: 'b', key: newKeyLine() } : undefined }
    holdRefusal(await ask(literal, repo, eve, request), 404, 'not found')
    await admit(repo, 'write')
    const refusal = 'user should be an owner or a collaborator with admin write of a repository'
    holdRefusal(await ask(literal, repo, helper, request), 403, refusal)
    holdRefusal(
      await ask(literal, await make.repository(owner), undefined, request),
      401,
      'token is required',
    )
    const narrow = bearer(await make.token(owner, 'write:user'))
    assert.equal((await ask(literal, repo, narrow, request)).status, 403)
    assert.deepEqual(await titles(repo), ['ci'])
  })

test('DELETE /api/v1/repos/{owner}/{repo} deletes its keys, which may be used again', async () => {
  const repo = await make.repository(owner)
  const key = newKeyLine()
  await add(repo, 'ci', key)
  assert.equal((await ask('DELETE /api/v1/repos/{owner}/{repo}', repo, owner)).status, 204)
  assert.equal((await pool`select from forge.deploy_key where repository_id = ${repo.id}`).length, 0)
  assert.equal((await call(ADD_OWN, { as: eve, body: { title: 'again', key } })).status, 201)
})
