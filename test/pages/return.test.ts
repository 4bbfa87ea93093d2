import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { samePassword } from '../support/forge/make.ts'
import { browserHeaders, root, send } from './browser.ts'

const { url, make } = await startApp()
const ada = await make.person({ name: 'ada' })
await make.admin({ name: 'boss' })
await make.repository(ada, { name: 'secret', is_private: true })

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(url + path, { redirect: 'manual', headers: { ...browserHeaders, ...headers } })

/** The field of the sign-in page that says where to go back to; undefined if there is none. */
async function offered(path: string, headers?: Record<string, string>): Promise<string | undefined> {
  const page = await (await get(path, headers)).text()
  assert.match(page, /<form class="card" method="post" action="https:\/\/forgehall\.example\/login">/)
  const [, next] = /name="next" value="([^"]*)"/.exec(page) ?? []
  return next?.replaceAll('&amp;', '&')
}

/** Where a sign-in leads to. */
async function led(fields: Record<string, string>): Promise<string> {
  const response = await send(url, '/login', { password: samePassword, ...fields })
  await response.arrayBuffer()
  assert.equal(response.status, 303)
  return response.headers.get('location') ?? ''
}

test('GET /login leads back to the page whose link was followed, without a script', async () => {
  for (const path of [
    '/ada/secret',
    '/overview',
    '/ada/secret/issues?state=closed&page=2',
    '/ada/a%2Fb/src',
  ]) {
    const next = await offered('/login', { referer: root + path.slice(1) })
    assert.equal(next, path)
    assert.equal(await led({ user: 'ada', next }), root + path.slice(1))
  }
  assert.match(await (await get('/ada/secret')).text(), /href="https:\/\/forgehall\.example\/login"/)
})

test('GET /overview/manage leads through the sign-in page back to itself', async () => {
  const location = (await get('/overview/manage')).headers.get('location') ?? ''
  assert.equal(location, `${root}login?next=/overview/manage`)
  // The browser names the page that led there, which is another one.
  const next = await offered(location.slice(root.length - 1), { referer: `${root}overview` })
  assert.equal(next, '/overview/manage')
  assert.equal(await led({ user: 'boss', next }), `${root}overview/manage`)
  assert.equal(await led({ user: 'ada', next }), root, 'who may not manage the site is not refused')
})

test('POST /login keeps where it leads to while names and passwords are wrong', async () => {
  const response = await send(url, '/login', { user: 'ada', password: 'wrong', next: '/ada/secret' })
  assert.equal(response.status, 401)
  assert.match(await response.text(), /name="next" value="\/ada\/secret"/)
})

/** What leads away from this server, into an answer of its own, or nowhere. */
const refused = [
  '//evil.example',
  '///evil.example/x',
  '/\\evil.example',
  '\\\\evil.example',
  '/a\\evil.example',
  'https://evil.example/',
  'HTTPS:evil.example',
  'https:/evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  'evil.example',
  '@evil.example',
  '.evil.example',
  ' /ada',
  '/\t/evil.example',
  '/\n/evil.example',
  '/ada\r\nSet-Cookie: a=b',
  '/ada\u0000',
  '/ädä',
  '/\u2028/evil.example',
  '%2f%2fevil.example',
  '/login',
  '/login?next=/ada',
  '/login/out',
  `/${'a'.repeat(2_001)}`,
  '',
]

test('POST /login leads nobody to another site, whatever its form or its link carries', async () => {
  for (const next of refused) {
    if (!next.includes('\0')) assert.equal(await led({ user: 'ada', next }), root, JSON.stringify(next))
    const asPage = await offered(`/login?next=${encodeURIComponent(next)}`)
    assert.equal(asPage, undefined, JSON.stringify(next))
  }
  assert.equal(await offered('/login?next=/a&next=/b'), undefined)
})

test('POST /login keeps percent-encodings and dots within the paths of this server', async () => {
  for (const next of [
    '/%2f%2fevil.example',
    '/%5cevil.example',
    '/%0d%0aset-cookie:a=b',
    '/..//evil.example',
  ]) {
    const location = await led({ user: 'ada', next })
    assert.equal(location, root + next.slice(1))
    assert.equal(new URL(location).origin, 'https://forgehall.example')
  }
})

test('GET /login ignores a page of another site that led there', async () => {
  for (const referer of [
    'https://evil.example/ada',
    'https://forgehall.example.evil.example/ada',
    'https://forgehall.example@evil.example/ada',
    'http://forgehall.example/ada',
    'https://forgehall.example//evil.example',
    'https://forgehall.example/\\evil.example',
    'https://forgehall.example/login',
    `https://forgehall.example/${'a'.repeat(2_001)}`,
    'nonsense',
  ])
    assert.equal(await offered('/login', { referer }), undefined, referer)
  assert.equal(
    await offered('/login?next=//evil.example', { referer: `${root}ada` }),
    undefined,
    'what the link says comes before the page that had it',
  )
})
