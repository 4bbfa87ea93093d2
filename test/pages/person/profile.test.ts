import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { makersFor } from '../../support/forge/make.ts'
import { signedIn } from '../admin/browser.ts'
import { browserOf, root, send } from '../browser.ts'
import { led } from '../forms.ts'

const app = await startApp()
const { call, url } = app
const make = makersFor(app)
const [ada] = await make.people('ada', 'eve', 'bob', 'hermit')
const guild = await make.organization(ada, { name: 'guild' })
const secret = await make.organization(ada, { name: 'secret' })
await make.repository(ada, { name: 'engine' })
await make.repository(ada, { name: 'hidden', is_private: true })
await call('PUT /api/v1/orgs/{org}/public_members/{username}', {
  as: ada,
  params: { org: guild.name, username: 'ada' },
})
await call('PATCH /api/v1/orgs/{org}', {
  as: ada,
  params: { org: secret.name },
  body: { visibility: 'private' },
})
for (const repo of ['engine', 'hidden'])
  await call('PUT /api/v1/user/starred/{owner}/{repo}', { as: ada, params: { owner: 'ada', repo } })
await app.pool`update forge.account set visibility = 'private' where name = 'hermit'`
const own = await signedIn(app, 'ada')
const visitor = await signedIn(app, 'eve')
const hermit = await signedIn(app, 'hermit')
const anonymous = browserOf(url)

test('POST /{username} follows an account and ends that', async () => {
  assert.match(await visitor.page('/ada'), />Follow<\/button>/)
  assert.equal(await led(visitor, '/ada', { action: 'follow' }), '/ada')
  assert.equal(await led(visitor, '/ada', { action: 'follow' }), '/ada', 'twice is once')
  const page = await visitor.page('/ada')
  assert.match(page, />Unfollow<\/button>/)
  assert.match(page, /Followers <span class="count">1</)
  assert.match(await own.page('/ada?tab=followers'), new RegExp(`href="${root}eve"`))
  assert.match(await own.page('/eve?tab=following'), new RegExp(`href="${root}ada"`))
  assert.doesNotMatch(await own.page('/ada'), /Follow<\/button>/, 'nobody follows oneself')
  await led(visitor, '/ada', { action: 'unfollow' })
  assert.doesNotMatch(await own.page('/ada?tab=followers'), new RegExp(`href="${root}eve"`))
  assert.equal((await visitor.post('/ada', { action: 'toString' })).status, 400)
  assert.equal((await visitor.post('/nobody', { action: 'follow' })).status, 404)
  assert.equal((await visitor.post('/hermit', { action: 'follow' })).status, 404)
  assert.equal((await send(url, '/ada', { action: 'follow' })).status, 401)
  const crossed = { cookie: visitor.cookie, 'sec-fetch-site': 'cross-site' }
  assert.equal((await send(url, '/ada', { action: 'follow' }, crossed)).status, 403)
  assert.match(await own.page('/ada?tab=followers'), /No followers yet/)
})

test('GET /{username} shows what a person has starred, as far as the reader may see it', async () => {
  assert.match(await own.page('/ada?tab=stars'), /ada\/engine[\s\S]*ada\/hidden/)
  const shown = await visitor.page('/ada?tab=stars')
  assert.match(shown, /ada\/engine/)
  assert.doesNotMatch(shown, /ada\/hidden/)
  for (const path of ['/ada?tab=stars', '/ada?tab=followers', '/ada?tab=%3Cscript%3E', '/guild?tab=stars']) {
    const page = await anonymous.page(path)
    assert.match(page, /id="repositories"/, path)
    assert.doesNotMatch(page, /<form[^>]*action="[^"]*\/(?:ada|guild)"/, 'nobody follows without a session')
  }
  await led(hermit, '/ada', { action: 'follow' })
  assert.doesNotMatch(await visitor.page('/ada?tab=followers'), /\/hermit"/)
  assert.equal(await visitor.statusOf('/hermit?tab=followers'), 404)
})

test('GET /{username} shows organizations of a person and people of an organization, as far as the reader may', async () => {
  assert.match(await own.page('/ada'), /id="organizations"[\s\S]*\/guild"[\s\S]*\/secret"/)
  for (const page of [await visitor.page('/ada'), await anonymous.page('/ada')]) {
    assert.match(page, /id="organizations"[\s\S]*\/guild"/)
    assert.doesNotMatch(page, /secret/)
  }
  assert.match(await visitor.page('/guild'), /id="people"[\s\S]*\/ada"/)
  await call('DELETE /api/v1/orgs/{org}/public_members/{username}', {
    as: ada,
    params: { org: guild.name, username: 'ada' },
  })
  for (const path of ['/guild', '/ada'])
    assert.doesNotMatch(await visitor.page(path), /id="(?:people|organizations)"/)
  assert.match(await own.page('/guild'), /id="people"[\s\S]*\/ada"/)
})
