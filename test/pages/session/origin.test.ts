import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageRoutes } from '../../../src/pages/routes.ts'
import { startApp } from '../../support/app.ts'
import { basic, makersFor, samePassword } from '../../support/forge/make.ts'
import { browserHeaders, cookieOf, root } from '../browser.ts'

const app = await startApp()
const make = makersFor(app)
const boss = await make.admin({ name: 'boss' })
await make.repository(boss, { name: 'boss' })
const cookie = await cookieOf(app.url, { user: 'boss', password: samePassword })

/** What a request carries of whoever sends it. */
const senders = {
  nobody: {},
  'a session': { cookie },
  'a password': basic('boss', samePassword),
  'a token': { authorization: `token ${await make.token(boss, 'all')}` },
  'both a session and a password': { cookie, ...basic('boss', samePassword) },
}

/** What browsers say of a form of another site; the last ones are older, or no browser. */
const origins: readonly Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' },
  { 'sec-fetch-site': 'same-site', origin: 'https://elsewhere.forgehall.example' },
  { 'sec-fetch-site': 'none' },
  { origin: 'https://elsewhere.example' },
  { origin: 'null' },
  { referer: 'https://elsewhere.example/forgehall.example/' },
  {},
]

/** Mail programs send it, with a secret of its own (RFC 8058, section 3.2). */
const fromAnywhere = '/settings/emails/unsubscribe'
const posts = Object.values(pageRoutes).filter(
  ({ method, path }) => method !== 'GET' && path !== fromAnywhere,
)

test('each form of the pages is refused if it does not come from one of them, whoever sends it', async () => {
  assert.ok(posts.length > 40)
  const before = await app.pool`select count(*) from forge.audit`
  for (const { method, path } of posts) {
    const url =
      app.url +
      path.replace(/\{\w+_id\}|\{(?:run|job|id|attempt)\}/g, '1').replace(/\{\w+(?:\.\.\.)?\}/g, 'boss')
    for (const [name, sender] of Object.entries(senders))
      for (const origin of origins) {
        const headers = { ...browserHeaders, ...sender, ...origin }
        const body = new URLSearchParams({ action: 'delete' })
        const { status } = await fetch(url, { method, headers, body, redirect: 'manual' })
        assert.equal(status, 403, `${method} ${path} of ${name} with ${JSON.stringify(origin)}`)
      }
  }
  assert.deepEqual(await app.pool`select count(*) from forge.audit`, before)
  const headers = { ...browserHeaders, cookie, origin: root.slice(0, -1) }
  const own = await fetch(`${app.url}/login/out`, {
    method: 'POST',
    headers,
    body: new URLSearchParams(),
    redirect: 'manual',
  })
  assert.equal(own.status, 303, 'an own form of an older browser is taken')
})
