import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountByName } from '../../../src/forge/accounts/account-store.ts'
import { startApp } from '../../support/app.ts'
import { bearer } from '../../support/forge/make.ts'
import { orgCalls, whole } from '../../support/forge/orgs.fixtures.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const app = await startApp()
const { call, pool, make } = app

const boss = await make.admin({ name: 'boss' })
const [ada, bob] = await make.people('Ada', 'bob')
const { create, edit, rename, remove, show, trail } = orgCalls(app, ada)

test('PATCH /orgs/{org} changes the members of the body and no others', async () => {
  const before = (await create({ ...whole, username: 'edited' })).body
  const changed = { description: '', visibility: 'private', email: 'new@engines.example' }
  const { status, body } = await edit('EDITED', changed)
  assert.deepEqual([status, body], [200, { ...before, ...changed }])
  const [last] = await trail(1)
  assert.deepEqual(last, {
    action: 'organization.edited',
    target_name: 'edited',
    actor_name: 'Ada',
    details: changed,
  })
  for (const nothing of [
    {},
    { email: null, visibility: null },
    { visibility: '' },
    { username: 'renamed' },
  ]) {
    assert.deepEqual((await edit('edited', nothing)).body, body, JSON.stringify(nothing))
  }
  assert.deepEqual(await trail(1), [last])
  assert.equal((await edit('edited', { email: '' })).body.email, '')
  assert.equal(
    (await edit('edited', { repo_admin_change_team_access: false })).body.repo_admin_change_team_access,
    false,
  )
})

test('PATCH /orgs/{org} checks the address, and all that a creation checks', async () => {
  await create({ ...whole, username: 'checked' })
  for (const [body, message] of [
    [{ email: 'no address' }, 'e-mail address contains unsupported character [email: no address]'],
    [{ email: 'a@b' }, 'e-mail invalid [email: a@b]'],
    [{ email: 'a@b.example\r\n' }, 'e-mail address contains unsupported character [email: a@b.example\r\n]'],
    [{ visibility: 'hidden' }, '[Visibility]: In'],
    [{ full_name: 'x'.repeat(101), visibility: 'hidden' }, '[FullName]: MaxSize'],
    [{ website: 'engines.example' }, '[Website]: Url'],
    [{ location: 'x'.repeat(51) }, '[Location]: MaxSize'],
  ] as const) {
    holdRefusal(await edit('checked', { description: 'changed', ...body }), 422, message)
  }
  for (const body of ['[]', '', '{"full_name":1}', '{"repo_admin_change_team_access":"x"}']) {
    assert.equal((await edit('checked', body)).status, 422, body)
  }
  assert.equal((await show('checked', ada)).body.description, whole.description)
})

test('PATCH, rename and DELETE are for owners and administrators; others are refused even where they cannot see it', async () => {
  await create({ username: 'guarded', visibility: 'private' })
  const guarded = await accountByName(pool, 'guarded')
  assert.ok(guarded)
  const member = await make.person()
  await make.team(guarded, [member], { permission: 'admin' })
  for (const work of [
    (org: string, as?: typeof ada) =>
      call('PATCH /api/v1/orgs/{org}', { params: { org }, body: '[', ...(as && { as }) }),
    (org: string, as?: typeof ada) =>
      call('POST /api/v1/orgs/{org}/rename', { params: { org }, body: '[', ...(as && { as }) }),
    (org: string, as?: typeof ada) =>
      call('DELETE /api/v1/orgs/{org}', { params: { org }, ...(as && { as }) }),
  ]) {
    holdRefusal(await work('guarded'), 401, 'token is required')
    holdRefusal(await work('guarded', bob), 403, 'Must be an organization owner')
    holdRefusal(await work('guarded', member), 403, 'Must be an organization owner')
    holdRefusal(await work('not-there'), 404, 'not found')
    holdRefusal(await work('bob', bob), 404, 'not found')
    assert.equal((await call('GET /api/v1/orgs/{org}', { params: { org: 'guarded' }, as: boss })).status, 200)
  }
  const reader = { ...ada, ...bearer(await make.token(ada, 'read:organization')) }
  const limited = { ...ada, ...bearer(await make.token(ada, 'public-only', 'all')) }
  for (const token of [reader, limited]) assert.equal((await remove('guarded', token)).status, 403)
  assert.equal((await edit('guarded', { location: 'here' }, boss)).status, 200)
  assert.equal((await rename('guarded', 'Guarded', boss)).status, 204)
  assert.equal((await remove('guarded', boss)).status, 204)
})
