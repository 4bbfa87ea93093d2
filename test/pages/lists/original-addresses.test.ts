import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { signedIn } from '../admin/browser.ts'
import { browserOf, root } from '../browser.ts'

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const make = makersFor(app)
const ada = await make.admin({ name: 'ada' })
await make.organization(ada, { name: 'guild' })
await app.call('POST /api/v1/user/repos', { as: ada, body: { name: 'code', auto_init: true } })
const owner = await signedIn(app, 'ada')
const anonymous = browserOf(app.url)

/** Addresses of the original, and where each leads who is signed in. */
const addresses: readonly (readonly [path: string, to: string])[] = [
  ['/user/login', '/login'],
  ['/user/login?redirect_to=%2Fada%2Fcode', '/login?next=%2Fada%2Fcode'],
  ['/user/logout', '/login'],
  ['/user/forgot_password', '/login/forgotten'],
  ['/user/settings', '/settings'],
  ['/user/settings/account', '/settings/password'],
  ['/user/settings/security', '/settings/codes'],
  ['/user/settings/applications', '/settings/tokens'],
  ['/user/settings/notifications', '/settings/emails'],
  ['/user/settings/keys', '/settings/keys'],
  ['/user/settings/hooks', '/settings/hooks'],
  ['/user/settings/actions/secrets', '/settings/actions/secrets'],
  ['/issues', '/'],
  ['/pulls', '/'],
  ['/ada/code/issues/new/choose', '/ada/code/issues/new'],
  ['/ada/code/_new/main/', '/ada/code/_edit/main'],
  ['/ada/code/_upload/main', '/ada/code/_edit/main'],
  ['/ada/code/_delete/main/README.md', '/ada/code/_edit/main/README.md'],
]

/** Addresses of the original that are those of pages here, too. */
const same = [
  '/notifications',
  '/org/create',
  '/repo/create',
  '/-/admin',
  '/-/admin/users',
  '/explore/repos',
  '/explore/users',
  '/explore/organizations',
  '/ada',
  '/guild',
  '/org/guild/members',
  '/org/guild/teams',
  '/org/guild/settings',
  '/ada/code/settings',
  '/ada/code/settings/collaboration',
  '/ada/code/settings/branches',
  '/ada/code/settings/tags',
  '/ada/code/settings/hooks',
  '/ada/code/settings/keys',
  '/ada/code/settings/actions/secrets',
  '/ada/code/src/branch/main',
  '/ada/code/src/branch/main/README.md',
  '/ada/code/raw/branch/main/README.md',
  '/ada/code/commits/branch/main',
  '/ada/code/_edit/main/README.md',
  '/ada/code/branches',
  '/ada/code/tags',
  '/ada/code/releases',
  '/ada/code/labels',
  '/ada/code/milestones',
  '/ada/code/issues',
  '/ada/code/pulls',
  '/ada/code/compare/main...main',
  '/ada/code/actions',
  '/ada.rss',
  '/ada/code.rss',
  '/ada/code/releases.rss',
  '/ada/code/tags.rss',
  '/ada/code/rss/branch/main',
]

/** What the site does not have. */
const missing = [
  '/user/sign_up',
  '/user/settings/nothing',
  '/user/settings/organization/x',
  '/repo/migrate',
  '/explore/code',
  '/ada/code/wiki',
  '/ada/code/projects',
]

test('addresses of the original lead to the pages that there are, with or without a session', async () => {
  for (const [path, to] of addresses) {
    const response = await anonymous.get(path)
    assert.deepEqual([response.status, response.headers.get('location')], [303, root + to.slice(1)], path)
    await response.text()
    assert.ok([200, 303].includes(await owner.statusOf(to)), to)
  }
  for (const path of same) assert.ok([200, 303].includes(await owner.statusOf(path)), path)
  for (const path of missing) assert.equal(await owner.statusOf(path), 404, path)
})

test('addresses of the original lead to no other site', async () => {
  for (const path of ['/%2F%2Fevil.example/x/issues/new/choose', '/ada/code/_new/%2F%2Fevil.example'])
    assert.match((await anonymous.get(path)).headers.get('location') ?? root, new RegExp(`^${root}`), path)
  const led = await anonymous.get('/user/login?redirect_to=https%3A%2F%2Fevil.example%2F')
  const page = await anonymous.page(`/${(led.headers.get('location') ?? '').slice(root.length)}`)
  assert.doesNotMatch(page, /evil\.example/)
})
