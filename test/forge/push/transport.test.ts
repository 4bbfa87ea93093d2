import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountByName, renameAccount } from '../../../src/forge/accounts/account-store.ts'
import { serveApp, startApp } from '../../support/app.ts'

const app = await startApp()
const { url, database } = app
const { begin, ...make } = app.make
const ada = await make.person({ name: 'ada' })
const root = 'https://forgehall.example/'

const get = (path: string, init: RequestInit = {}) =>
  fetch(`${url}/api/v1${path}`, { redirect: 'manual', ...init })

for (const path of ['/nothing', '/', '', '/user/nothing', '/admin', '/users']) {
  test(`an unknown path is a line of text: /api/v1${path}`, async () => {
    const response = await get(path, { headers: { authorization: 'token wrong' } })
    assert.equal(response.status, 404, 'credentials are not looked at')
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain/)
    assert.equal(await response.text(), '404 page not found\n')
  })
}

for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
  test(`${method} where only GET exists is 405 without a body, with Allow`, async () => {
    const response = await get('/version', {
      method,
      headers: { authorization: 'token wrong', origin: 'https://x.example' },
    })
    assert.equal(response.status, 405)
    assert.equal(await response.text(), '')
    assert.equal(response.headers.get('allow'), 'GET, HEAD')
    assert.equal(response.headers.get('vary'), null)
    assert.equal(response.headers.get('access-control-allow-origin'), null)
  })
}

test('HEAD has the headers of GET and no body', async () => {
  const [head, whole] = [await get('/version', { method: 'HEAD' }), await get('/version')]
  assert.deepEqual([head.status, await head.text()], [200, ''])
  for (const name of ['content-length', 'content-type', 'etag', 'cache-control']) {
    assert.equal(head.headers.get(name), whole.headers.get(name), name)
  }
})

test('every reply has the headers of the API, errors too', async () => {
  for (const path of ['/version', '/user', '/nothing']) {
    const { headers } = await get(path)
    assert.equal(headers.get('cache-control'), 'max-age=0, private, must-revalidate')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('x-frame-options'), 'SAMEORIGIN')
  }
})

test('JSON is sent as application/json;charset=utf-8 without a newline, errors with message and url', async () => {
  const version = await get('/version')
  assert.equal(version.headers.get('content-type'), 'application/json;charset=utf-8')
  assert.match(await version.text(), /^\{"version":"28\.0\.0\+[\w.]+"\}$/)
  const refused = await get('/user')
  assert.equal(refused.headers.get('content-type'), 'application/json;charset=utf-8')
  assert.equal(await refused.text(), `{"message":"token is required","url":"${root}api/swagger"}`)
})

for (const path of [
  '/version/',
  '/version///',
  '//version',
  '/users/ada/',
  '/users//ada',
  '/users/%61da',
  '/users/ADA',
]) {
  test(`extra slashes, escapes and case do not matter: ${path}`, async () => {
    assert.equal((await get(path)).status, 200)
  })
}

for (const path of ['/users/%', '/users/%zz', '/users/%ff', '/nothing%', '/version%2']) {
  test(`broken percent-encoding is 400 in text: ${path}`, async () => {
    const response = await get(path)
    assert.equal(response.status, 400)
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain/)
  })
}

for (const name of [
  'nobody',
  'a%2Fb',
  '%00',
  '..%2F',
  '%20ada',
  "'%20or%201=1%20--",
  '%F0%9F%92%A9',
  'x'.repeat(3000),
]) {
  test(`GET /users/{username} finds nobody under ${name.slice(0, 30)}`, async () => {
    const response = await get(`/users/${name}`)
    assert.equal(response.status, 404)
    const { message } = (await response.json()) as { message: string }
    assert.equal(message, `user redirect does not exist [name: ${decodeURIComponent(name).toLowerCase()}]`)
  })
}

test('a renamed user is found by a redirect that keeps method, path and query', async () => {
  await make.person({ name: 'before' })
  const account = await accountByName(app.pool, 'before')
  assert.ok(account)
  await begin((tx) => renameAccount(tx, account, 'After'))
  const response = await get('/users/BEFORE?a=1&b=%20', { headers: { authorization: ada.authorization } })
  assert.equal(response.status, 307)
  assert.equal(response.headers.get('location'), '/api/v1/users/After?a=1&b=%20')
  assert.equal(await response.text(), '')
  const followed = await fetch(`${url}/api/v1/users/before`)
  assert.equal(((await followed.json()) as { login: string }).login, 'After')
})

test('a path of the site that looks like the forge is still the site', async () => {
  const response = await fetch(`${url}/api/v10/version`)
  assert.deepEqual([response.status, await response.json()], [404, { error: 'not found' }])
})

test('links have PUBLIC_URL, whatever the Host header is', async () => {
  const headers = { host: 'evil.example', 'x-forwarded-proto': 'http', 'x-forwarded-host': 'evil.example' }
  const { avatar_url, html_url } = (await (await get('/users/ada', { headers })).json()) as Record<
    string,
    string
  >
  assert.equal(html_url, `${root}ada`)
  assert.ok(avatar_url?.startsWith(`${root}avatars/`))
})

test('without PUBLIC_URL links follow the request, with the scheme from a trusted proxy only', async () => {
  for (const [trust, scheme] of [
    ['loopback', 'https'],
    ['none', 'http'],
    ['10.0.0.0/8', 'http'],
    ['127.0.0.1', 'https'],
    ['private,loopback', 'https'],
  ] as const) {
    const other = await serveApp(database, { PUBLIC_URL: '', TRUST_PROXY: trust })
    try {
      const headers = { 'x-forwarded-proto': 'https' }
      const response = await fetch(`${other.url}/api/v1/users/ada`, { headers })
      const { html_url } = (await response.json()) as { html_url: string }
      assert.equal(html_url, `${other.url.replace('http', scheme)}/ada`, trust)
      const refused = await fetch(`${other.url}/api/v1/user`, { headers })
      assert.equal(((await refused.json()) as { url: string }).url, 'http://localhost:3000/api/swagger')
    } finally {
      await other.close()
    }
  }
})

for (const [path, expected] of [
  [
    '/settings/api',
    [
      'max_response_items',
      'default_paging_num',
      'default_git_trees_per_page',
      'default_max_blob_size',
      'default_max_response_size',
    ],
  ],
  ['/settings/ui', ['default_theme', 'allowed_reactions', 'custom_emojis']],
  [
    '/settings/repository',
    [
      'mirrors_disabled',
      'http_git_disabled',
      'migrations_disabled',
      'stars_disabled',
      'time_tracking_disabled',
      'lfs_disabled',
    ],
  ],
  ['/settings/attachment', ['enabled', 'allowed_types', 'max_size', 'max_files']],
  ['/nodeinfo', ['version', 'software', 'protocols', 'services', 'openRegistrations', 'usage', 'metadata']],
] as const) {
  test(`GET ${path} is open and has its members`, async () => {
    const { status, body } = await app.call(`GET /api/v1${path}`)
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), expected)
  })
}

test('GET /settings/repository turns off features that this server lacks', async () => {
  const { body } = await app.call('GET /api/v1/settings/repository')
  const off = Object.entries(body).flatMap(([name, isOff]) => (isOff ? [name] : []))
  assert.deepEqual(off, ['mirrors_disabled', 'migrations_disabled', 'time_tracking_disabled', 'lfs_disabled'])
})

test('GET /settings/api shows the page sizes of lists', async () => {
  const { body } = await app.call('GET /api/v1/settings/api')
  assert.deepEqual([body.default_paging_num, body.max_response_items], [30, 50])
})

test('GET /nodeinfo counts people only', async () => {
  const count = async () => (await app.call('GET /api/v1/nodeinfo')).body.usage.users.total
  const before = await count()
  await make.person()
  await make.organization(ada)
  assert.equal(await count(), before + 1)
})
