import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, pool, make } = await startApp()

const SHOW = 'GET /api/v1/user/settings'
const EDIT = 'PATCH /api/v1/user/settings'
const USER = 'GET /api/v1/users/{username}'

const empty = {
  full_name: '',
  website: '',
  description: '',
  location: '',
  language: '',
  theme: 'gitea-auto',
  diff_view_style: '',
  hide_email: false,
  hide_activity: false,
}
const edit = (as: Somebody, body: unknown) => call(EDIT, { as, body })
const settings = async (as: Somebody) => (await call(SHOW, { as })).body
const deeds = async ({ id }: Somebody) =>
  (
    await pool`select details from forge.audit where target_id = ${id} and action = 'user.edited' order by id`
  ).map(({ details }) => details)

test(`${SHOW} and ${EDIT}: absent members stay unchanged, and others see the changes`, async () => {
  const [ada, eve] = [await make.person(), await make.person()]
  assert.deepEqual(await settings(ada), empty)
  const first = {
    full_name: 'Ada Lovelace',
    website: 'https://ada.example.org',
    theme: 'dark',
    language: 'de-DE',
  }
  const { status, body } = await edit(ada, first)
  assert.deepEqual([status, body], [200, { ...empty, ...first }])
  const second = { full_name: '', hide_email: true, hide_activity: true, diff_view_style: 'split' }
  const all = { ...empty, ...first, ...second }
  assert.deepEqual((await edit(ada, second)).body, all)
  assert.deepEqual((await edit(ada, {})).body, all)
  assert.deepEqual(await settings(ada), all)
  const seen = (await call(USER, { as: eve, params: { username: ada.name } })).body
  assert.equal(seen.website, first.website)
  assert.notEqual(seen.email, ada.email)
  assert.deepEqual(await settings(eve), empty)
  const { hide_email: hides_email, hide_activity: hides_activity, ...texts } = second
  assert.deepEqual(await deeds(ada), [first, { ...texts, hides_email, hides_activity }])
})

test(`${EDIT} refuses what is too long or malformed, and changes nothing`, async () => {
  const ada = await make.person()
  for (const [body, message] of [
    [{ full_name: 'a'.repeat(101) }, '[FullName]: MaxSize'],
    [{ website: 'a'.repeat(256) }, '[Website]: Url'],
    [{ website: `https://${'a'.repeat(260)}.org` }, '[Website]: MaxSize'],
    [{ website: 'javascript:alert(1)' }, '[Website]: Url'],
    [{ description: 'a'.repeat(256) }, '[Description]: MaxSize'],
    [{ location: 'a'.repeat(51) }, '[Location]: MaxSize'],
    [{ theme: 'a'.repeat(256) }, '[Theme]: MaxSize'],
    [{ full_name: 'kept', hide_email: 'yes' }, undefined],
    [{ full_name: 'a\0b' }, undefined],
    ['{', undefined],
    [[], undefined],
  ] as const) {
    const answer = await edit(ada, body)
    assert.equal(answer.status, 422, JSON.stringify(body))
    if (message) assert.equal(answer.body.message, message)
  }
  assert.deepEqual([await settings(ada), await deeds(ada)], [empty, []])
})

test(`${SHOW} and ${EDIT} are for the user, with a token for it`, async () => {
  const ada = await make.person()
  for (const [literal, body] of [
    [SHOW, undefined],
    [EDIT, { full_name: 'x' }],
  ] as const) {
    holdRefusal(await call(literal, { body }), 401, 'token is required')
    for (const scopes of [['write:repository'], ['write:user', 'public-only']]) {
      const as = bearer(await make.token(ada, ...scopes))
      assert.equal((await call(literal, { as, body })).status, 403)
    }
  }
  const reader = bearer(await make.token(ada, 'read:user'))
  assert.equal((await call(SHOW, { as: reader })).status, 200)
  assert.equal((await call(EDIT, { as: reader, body: { full_name: 'x' } })).status, 403)
  assert.deepEqual(await settings(ada), empty)
})

test(`${EDIT} of a user who is deleted meanwhile is 404`, async () => {
  const ada = await make.person()
  await pool.unsafe(`
    create function forge.lose() returns trigger language plpgsql as 'begin return null; end';
    create trigger lose before update on forge.account for each row when (old.id = ${ada.id})
      execute function forge.lose()`)
  try {
    assert.equal((await edit(ada, { full_name: 'x' })).status, 404)
  } finally {
    await pool.unsafe('drop trigger lose on forge.account; drop function forge.lose()')
  }
  assert.deepEqual([await settings(ada), await deeds(ada)], [empty, []])
})
