import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { pageRoutes } from '../../../src/pages/routes.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { signedIn } from '../admin/browser.ts'
import { browserOf, hostile, send } from '../browser.ts'
import { led, refused } from '../forms.ts'
import { type NounCase, nounCases, owners, tagsOf } from './nouns.ts'

const app = await startApp({ DATA_DIR: join(await temporaryFolder(), 'data') })
const { url, call } = app
const make = makersFor(app)
const ada = await make.person({ name: 'ada' })
await make.people('eve', 'bob', 'aaron')
const guild = await make.organization(ada, { name: 'guild' })
await make.team(guild, [ada], { name: 'makers' })
await call('POST /api/v1/user/repos', { as: ada, body: { name: 'engine', auto_init: true } })
await call('POST /api/v1/orgs/{org}/repos', { as: ada, params: { org: 'guild' }, body: { name: 'tools' } })
const owner = await signedIn(app, 'ada')
const visitor = await signedIn(app, 'eve')

/** Each noun at each of its owners. */
const cases = nounCases.flatMap((noun) =>
  noun.owners.map((kind) => ({ noun, kind, at: `${owners[kind]}/${noun.section}` })),
)

/** The key of what a case adds: its name, or else that of the first row. */
function keyIn(page: string, { add }: NounCase): string {
  const keys = [...page.matchAll(/name="key" value="([^"]*)"/g)].map(([, key = '']) => key)
  return keys.find((key) => key === add?.name) ?? keys[0] ?? ''
}

/** Whether the form that changes one has a field that is broken. */
const isOfChange = ({ change = {} }: NounCase, broken: Readonly<Record<string, string>>) =>
  Object.keys(broken).some((name) => name in change)

for (const { noun, at } of cases)
  test(`${at} lists, adds, changes and removes, says what is wrong and keeps what was written`, async () => {
    await owner.page(at)
    if (!noun.add) return
    assert.equal(await led(owner, at, { action: 'add', ...noun.add }), `${at}?done=add`)
    const page = await owner.page(`${at}?done=add`)
    assert.match(page, /class="notice" role="status"/)
    assert.ok(page.includes(noun.shows), page)
    const key = keyIn(page, noun)
    assert.notEqual(key, '')
    if (noun.change) {
      assert.equal(
        await led(owner, at, { action: 'change', key, ...noun.add, ...noun.change }),
        `${at}?done=change`,
      )
      const before = tagsOf(await owner.page(at))
      for (const broken of noun.broken.filter((each) => isOfChange(noun, each))) {
        const again = await refused(owner, at, { action: 'change', key, ...noun.add, ...broken })
        assert.match(again, /<details class="ask" open>/)
      }
      assert.equal(tagsOf(await owner.page(at)), before)
    }
    for (const broken of noun.broken) {
      const again = await refused(owner, at, { action: 'add', ...noun.add, ...broken })
      for (const [name, value] of Object.entries({ ...noun.add, ...broken }))
        if (value !== 'on' && value !== '' && value.length < 100 && !noun.secret.includes(name))
          assert.ok(
            again.includes(
              value
                .replace(/&/g, '&amp;')
                .replace(/"/g, '&quot;')
                .replace(/</g, '&lt;')
                .replace(/>/g, '&gt;'),
            ),
            name,
          )
    }
    for (const text of hostile)
      for (const action of ['add', 'change', 'remove']) {
        const fields = Object.fromEntries(Object.keys(noun.add).map((name) => [name, text]))
        await (await owner.post(at, { action, key: text, ...fields })).text()
        await owner.page(at)
      }
    const now = keyIn(await owner.page(at), noun)
    assert.equal(await led(owner, at, { action: 'remove', key: now }), `${at}?done=remove`)
    if (!noun.isRepeatable) await refused(owner, at, { action: 'remove', key: '' })
  })

test('each form of the settings is refused for who may not, asks who is signed out, and knows its actions', async () => {
  for (const { at, kind, noun } of cases) {
    if (noun.hasOwnRefusals) continue
    for (const action of ['', 'toString', 'constructor', 'x'])
      assert.equal((await owner.post(at, { action })).status, 400, at)
    // Everybody sees the labels of a public repository.
    assert.equal(await browserOf(url).statusOf(at), kind === 'issues' ? 200 : 303, at)
    assert.equal((await send(url, at, { action: 'add', name: 'what I wrote' })).status, 401, at)
    if (!noun.isRepeatable) await refused(owner, at, { action: 'remove', key: 'nothing/here' })
    if (kind === 'person') continue
    assert.equal(await visitor.statusOf(at), kind === 'issues' ? 200 : 403, at)
    assert.equal((await visitor.post(at, { action: 'add' })).status, 403, at)
    assert.equal(await owner.statusOf(at.replace(/engine|guild|tools/, 'nothing')), 404, at)
  }
})

test('a form that is sent twice adds one thing', async () => {
  for (const { noun, at } of cases) {
    if (!noun.add) continue
    const before = await owner.page(at)
    const form_id = /name="form_id" value="([^"]+)"/.exec(before)?.[1] ?? ''
    assert.notEqual(form_id, '', at)
    const fields = { action: 'add', form_id, ...noun.add }
    const answers = await Promise.all([owner.post(at, fields), owner.post(at, fields)])
    for (const answer of answers) assert.equal(answer.status, 303, `${at}: ${await answer.text()}`)
    const count = (page: string) => page.split(noun.shows).length
    const both = await owner.page(at)
    await led(owner, at, { action: 'remove', key: keyIn(both, noun) })
    assert.equal(count(await owner.page(at)), count(before), `${at}: one was added, and one removed`)
  }
})

test('a right that is withdrawn while a form is open counts', async () => {
  const params = { owner: 'ada', repo: 'engine', collaborator: 'bob' }
  const helper = await signedIn(app, 'bob')
  for (const { noun, at, kind } of cases) {
    if (kind !== 'repository' || noun.isForOwners) continue
    await call('PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', {
      as: ada,
      params,
      body: { permission: 'admin' },
    })
    await helper.page(at)
    await call('DELETE /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', { as: ada, params })
    assert.equal((await helper.post(at, { action: 'add', ...noun.add })).status, 403, at)
  }
})

test('texts of a megabyte are refused and keep the page', async () => {
  for (const { noun, at } of cases) {
    if (!noun.add) continue
    for (const name of Object.keys(noun.add)) {
      const response = await owner.post(at, { action: 'add', ...noun.add, [name]: 'x'.repeat(900_000) })
      await response.text()
      assert.ok([422, 413, 303].includes(response.status), `${at} ${name}: ${response.status}`)
      if (response.status === 303) await led(owner, at, { action: 'remove', key: await keyOfFirst(at) })
    }
  }
})

const keyOfFirst = async (at: string) => /name="key" value="([^"]*)"/.exec(await owner.page(at))?.[1] ?? ''

test('each page of settings is in the list of this test', () => {
  const tested = new Set(cases.map(({ at }) => at))
  const declared = Object.values(pageRoutes)
    .filter(({ method, path }) => method === 'POST' && isOfNouns(path))
    .map(({ path }) => path.replace('{org}', 'guild'))
  const repositories = ['/ada/engine', '/guild/tools']
  for (const path of declared)
    assert.ok(
      repositories.some((each) => tested.has(path.replace('/{owner}/{repo}', each))),
      path,
    )
})

const isOfNouns = (path: string) =>
  path !== '/settings/keys' &&
  /\/settings\/(?:actions\/\w+|hooks|labels|keys|collaboration|teams|tags|branches)$|\/labels$/.test(path)

test('POST /{owner}/{repo}/settings/actions/runners shows and replaces the token of registration, and switches', async () => {
  for (const kind of ['repository', 'organization', 'person'] as const) {
    const at = `${owners[kind]}/actions/runners`
    const token = async () => {
      const response = await owner.post(at, { action: 'token' })
      assert.equal(response.status, 200, at)
      return /--token ([\w-]+)/.exec(await response.text())?.[1] ?? ''
    }
    const first = await token()
    assert.match(first, /^[\w-]{20,}$/)
    assert.equal(await token(), first)
    assert.doesNotMatch(await owner.page(at), new RegExp(first))
    assert.equal(await led(owner, at, { action: 'replace' }), `${at}?done=replace`)
    assert.notEqual(await token(), first)
    await refused(owner, at, { action: 'switch', key: '99', disabled: 'true' })
  }
})

test('/{owner}/{repo}/settings/teams is for repositories of organizations', async () => {
  const at = '/ada/engine/settings/teams'
  assert.equal(await owner.statusOf(at), 405)
  assert.equal((await owner.post(at, { action: 'add', name: 'makers' })).status, 405)
  assert.doesNotMatch(await owner.page('/ada/engine/settings/keys'), /settings\/teams/)
})

test('POST /{owner}/{repo}/labels adds a set of labels, and what of it is missing', async () => {
  for (const at of ['/ada/engine/labels', '/org/guild/settings/labels']) {
    const [, set = ''] = /<select id="set"[^>]*><option value="([^"]+)"/.exec(await owner.page(at)) ?? []
    assert.equal(await led(owner, at, { action: 'set', set }), `${at}?done=set`)
    const count = async () => (await owner.page(at)).split('name="action" value="remove"').length
    const first = await count()
    assert.ok(first > 3)
    await led(owner, at, { action: 'set', set })
    assert.equal(await count(), first)
    await refused(owner, at, { action: 'set', set: 'nothing' })
  }
  assert.doesNotMatch(await visitor.page('/ada/engine/labels'), /name="action"/)
})

test('POST /{owner}/{repo}/settings/branches/new adds a rule, which its page changes', async () => {
  const at = '/ada/engine/settings/branches'
  const rule = { rule_name: 'release/**', enable_push: 'on', push_whitelist_usernames: 'ada', priority: '3' }
  const page = `${at}/edit/release/**`
  assert.equal(await led(owner, `${at}/new`, rule), `${page}?done=created`)
  const read = async () => {
    const params = { owner: 'ada', repo: 'engine', name: 'release/**' }
    return (await call('GET /api/v1/repos/{owner}/{repo}/branch_protections/{name...}', { as: ada, params }))
      .body
  }
  assert.deepEqual([(await read()).enable_push, (await read()).priority], [true, 3])
  assert.match(await owner.page(`${page}?done=created`), /role="status"/)
  assert.equal(
    await led(owner, page, { required_approvals: '2', enable_force_push: 'on' }),
    `${page}?done=edited`,
  )
  const { enable_push, enable_force_push, required_approvals } = await read()
  assert.deepEqual([enable_push, enable_force_push, required_approvals], [false, true, 2])
  assert.match(await refused(owner, `${at}/new`, rule, 403), /value="release\/\*\*"/)
  for (const rule_name of ['', 'x'.repeat(256)]) await refused(owner, `${at}/new`, { ...rule, rule_name })
  await refused(owner, page, { priority: 'x' })
  for (const path of [`${at}/new`, page]) {
    assert.equal((await visitor.post(path, rule)).status, 403)
    assert.equal((await send(url, path, rule)).status, 401)
    assert.equal(await visitor.statusOf(path), 403)
  }
  assert.equal(await owner.statusOf(`${at}/edit/gone`), 404)
  assert.equal((await owner.post(`${at}/edit/gone`, rule)).status, 404)
  assert.equal(await led(owner, at, { action: 'remove', key: 'release/**' }), `${at}?done=remove`)
})
