import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { signedIn } from '../admin/browser.ts'
import { browserOf, holdClean, hostile, send } from '../browser.ts'
import { led, refused } from '../forms.ts'

const app = await startApp({ DATA_DIR: join(await temporaryFolder(), 'data') })
const { url, call } = app
const make = makersFor(app)
const ada = await make.person({ name: 'ada' })
await make.person({ name: 'bob' })
await make.person({ name: 'eve' })
const owner = await signedIn(app, 'ada')
const member = await signedIn(app, 'bob')
const visitor = await signedIn(app, 'eve')
const organizationOf = async (org: string) =>
  (await call('GET /api/v1/orgs/{org}', { as: ada, params: { org } })).body

test('POST /org/create creates an organization', async () => {
  assert.match(await owner.page('/org/create'), /name="username"/)
  const fields = { username: 'guild', full_name: 'The Guild', visibility: 'limited', description: 'We build' }
  assert.equal(await led(owner, '/org/create', fields), '/guild')
  const made = await organizationOf('guild')
  assert.deepEqual([made.full_name, made.visibility, made.description], ['The Guild', 'limited', 'We build'])
  assert.match(await refused(owner, '/org/create', fields), /value="The Guild"/)
  for (const broken of [{ username: '' }, { username: 'a b' }, { website: 'x' }, { visibility: 'x' }])
    await refused(owner, '/org/create', { ...fields, username: 'other', ...broken })
  for (const text of hostile) {
    const sent = await owner.post('/org/create', { username: text, full_name: text, description: text })
    assert.equal(sent.status, 422)
    holdClean(await sent.text())
  }
  assert.equal(await browserOf(url).statusOf('/org/create'), 303)
  assert.equal((await send(url, '/org/create', fields)).status, 401)
  const twice = await Promise.all([1, 2].map(() => owner.post('/org/create', { username: 'twice' })))
  assert.deepEqual(twice.map(({ status }) => status).sort(), [303, 422])
})

test('POST /org/{org}/settings changes, renames and deletes it', async () => {
  const at = '/org/guild/settings'
  assert.match(await owner.page(at), /name="full_name"[^>]*>|value="The Guild"/)
  const edit = { action: 'edit', full_name: 'Guild', website: 'https://a.example/', visibility: 'public' }
  assert.equal(await led(owner, at, edit), `${at}?done=edited`)
  assert.match(await owner.page(`${at}?done=edited`), /role="status"/)
  assert.deepEqual(
    [(await organizationOf('guild')).full_name, (await organizationOf('guild')).visibility],
    ['Guild', 'public'],
  )
  assert.match(await refused(owner, at, { ...edit, website: 'x' }), /id="website-fault"/)
  for (const text of hostile) assert.equal((await owner.post(at, { ...edit, full_name: text })).status, 303)
  await owner.page(at)
  await owner.page('/guild')
  await led(owner, at, edit)
  const rename = { action: 'rename', new_name: 'makers', present_name: 'guild' }
  assert.match(await refused(owner, at, { ...rename, present_name: '' }), /id="present_name-fault"/)
  assert.match(await refused(owner, at, { ...rename, new_name: 'ada' }), /id="new_name-fault"/)
  assert.equal(await led(owner, at, rename), '/org/makers/settings?done=renamed')
  assert.match(await owner.page('/org/makers/settings?done=renamed'), /role="status"/)
  const now = '/org/makers/settings'
  for (const action of ['', 'toString']) assert.equal((await owner.post(now, { action })).status, 400)
  for (const confirmation of ['', 'guild'])
    assert.match(await refused(owner, now, { action: 'delete', confirmation }), /id="confirmation-fault"/)
  assert.equal(await visitor.statusOf(now), 403)
  assert.equal((await visitor.post(now, { action: 'delete', confirmation: 'makers' })).status, 403)
  assert.equal((await send(url, now, edit)).status, 401)
  assert.equal(await led(owner, now, { action: 'delete', confirmation: 'makers' }), '/explore/organizations')
  assert.equal(await owner.statusOf(now), 404)
})

test('teams have members and repositories, and people leave, are removed, show and hide themselves', async () => {
  await led(owner, '/org/create', { username: 'crew' })
  const teams = '/org/crew/teams'
  const team = { action: 'add', name: 'deck', visibility: 'private', permission: 'none', 'repo.code': 'read' }
  assert.equal(await led(owner, teams, team), `${teams}?done=add`)
  const at = `${teams}/deck`
  assert.equal((await owner.post(`${at}/members`, { action: 'add', name: 'bob' })).status, 303)
  assert.match(await member.page('/org/crew/teams'), /teams\/deck/)
  // The menu beside a page says whose pages it has.
  for (const [path, name] of [
    ...['members', 'repositories', 'edit'].map((each) => [`${at}/${each}`, 'Team deck'] as const),
    ['/org/crew/settings', 'Settings'],
  ] as const)
    assert.match(await owner.page(path), new RegExp(`<h2 class="settings-name" dir="auto">${name}<`), path)
  assert.doesNotMatch(await member.page('/org/crew/teams'), /name="action"/)
  assert.match(await member.page(`${at}/members`), />bob</)
  assert.doesNotMatch(await member.page(`${at}/members`), /name="action"/)
  for (const [path, status] of [
    [teams, 403],
    [`${at}/members`, 404],
    [`${at}/repositories`, 404],
    [`${at}/edit`, 403],
    [at, 404],
  ] as const)
    assert.equal(await visitor.statusOf(path), status, path)
  for (const path of [teams, `${at}/members`, `${at}/repositories`, `${at}/edit`]) {
    assert.equal((await member.post(path, { action: 'add', name: 'eve' })).status, 403, path)
    assert.equal((await send(url, path, { action: 'add' })).status, 401, path)
    assert.equal(await browserOf(url).statusOf(path), 303, path)
    if (!path.endsWith('edit')) assert.equal((await owner.post(path, { action: 'toString' })).status, 400)
  }
  const led303 = await browserOf(url).get(at, { cookie: owner.cookie })
  assert.match(led303.headers.get('location') ?? '', /teams\/deck\/members$/)
  assert.equal(await owner.statusOf(`${teams}/nothing/members`), 404)
  assert.match(await owner.page(`${at}/edit`), /value="deck"/)
  const edit = { ...team, name: 'bridge', description: 'They steer', permission: 'admin' }
  assert.equal(await led(owner, `${at}/edit`, edit), `${teams}/bridge/edit?done=1`)
  assert.match(await owner.page(`${teams}/bridge/edit?done=1`), /role="status"/)
  await refused(owner, `${teams}/bridge/edit`, { ...edit, name: 'a b' })

  const people = '/org/crew/members'
  assert.match(await owner.page(people), /Remove bob/)
  assert.doesNotMatch(await member.page(people), /Remove/)
  assert.equal((await member.post(people, { action: 'remove', key: 'ada' })).status, 403)
  assert.equal((await visitor.post(people, { action: 'publish', key: 'eve' })).status, 403)
  assert.equal((await send(url, people, { action: 'remove' })).status, 401)
  assert.equal((await owner.post(people, { action: 'add' })).status, 400)
  const shown = () =>
    call('GET /api/v1/orgs/{org}/public_members', { params: { org: 'crew' } }).then(({ body }) => body.length)
  const offered = async () => (await member.page(people)).match(/(?:Show|Hide) me(?=<)/g)
  assert.deepEqual(await offered(), ['Show me'])
  await led(member, people, { action: 'publish', key: 'bob' })
  assert.equal(await shown(), 1)
  assert.deepEqual(await offered(), ['Hide me'])
  await led(member, people, { action: 'conceal', key: 'bob' })
  assert.equal(await shown(), 0)
  await refused(owner, people, { action: 'remove', key: 'ada' })
  assert.equal(await led(member, people, { action: 'remove', key: 'bob' }), `${people}?done=remove`)
  assert.doesNotMatch(await owner.page(people), />bob</)
})
