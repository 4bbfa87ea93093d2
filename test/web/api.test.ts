import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'

const { call, url } = await startApp()
const closed = await startApp({ REQUIRE_SIGNIN: 'true' })
const page = 'GET /api/swagger'
const file = 'GET /api/swagger/{file}'
const forge = 'GET /openapi3.v1.json'
const forgeFormerly = 'GET /swagger.v1.json'
const site = 'GET /api/openapi.json'
const readable = [page, forge, forgeFormerly, site]

test(`${forge} is the document of the management API, for everybody, with the release that clients compare`, async () => {
  const { status, body, headers } = await call(forge)
  assert.equal(status, 200)
  assert.equal(headers.get('access-control-allow-origin'), '*')
  assert.match(body.info.version, /^28\.0\.0\+/)
  assert.deepEqual(body.servers, [{ url: './api/v1', description: 'This server' }])
  assert.deepEqual(body.security, [
    {},
    { BearerToken: [] },
    { AuthorizationHeaderToken: [] },
    { BasicAuth: [] },
  ])
  assert.equal(body.paths['/admin/cron/{task}'].post.operationId, 'adminCronRun')
  assert.equal(body.paths['/admin/cron/{task}'].get['x-forgehall-extension'], true)
})

test(`${forgeFormerly} is the same where the original has it, with paths below the address of the server`, async () => {
  const { body } = await call(forgeFormerly)
  assert.equal(body.swagger, '2.0')
  assert.equal(body.basePath, '/api/v1')
  const below = await startApp({ PUBLIC_URL: 'https://example.org/forge' })
  assert.equal((await below.call(forgeFormerly)).body.basePath, '/forge/api/v1')
})

test(`${forge} names tokens in the query where the server takes them`, async () => {
  const open = await startApp({ QUERY_TOKENS: 'true' })
  const { securitySchemes } = (await open.call(forge)).body.components
  assert.deepEqual(securitySchemes.Token, {
    ...securitySchemes.Token,
    type: 'apiKey',
    in: 'query',
    name: 'token',
  })
})

test(`${site} is the document of the site API`, async () => {
  const { body } = await call(site)
  assert.deepEqual(body.servers, [{ url: '..', description: 'This server' }])
  assert.equal(Object.values(body.paths).flatMap((path) => Object.keys(path as object)).length, 19)
})

test('servers of the documents are the APIs, wherever they are', () => {
  const root = 'https://example.org/forge/'
  assert.equal(new URL('./api/v1', `${root}openapi3.v1.json`).href, `${root}api/v1`)
  assert.equal(new URL('..', `${root}api/openapi.json`).href, root)
})

test(`${page} loads only what this server sends, and has nothing inline`, async () => {
  const { body, headers } = await call(page)
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, /^default-src 'none'; /)
  assert.doesNotMatch(policy, /unsafe|https?:|\*/)
  assert.doesNotMatch(body, /<style|\sstyle=|\son\w+=|<iframe|https?:\/\/|<script[^>]*>[^<]/)
  const links = [...body.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, link]) => link ?? '')
  assert.ok(links.length > 6)
  for (const link of links.filter((each) => !each.startsWith('data:'))) {
    const { status } = await fetch(new URL(link, `${url}/api/swagger`))
    assert.equal(status, 200, link)
  }
})

test(`${file} sends the reader as script and style, and nothing else`, async () => {
  const types = {
    'swagger-ui-bundle.js': 'text/javascript',
    'swagger-ui.css': 'text/css',
    'start.js': 'text/javascript',
  }
  for (const [name, type] of Object.entries(types)) {
    const reply = await fetch(`${url}/api/swagger/${name}`)
    assert.equal(reply.headers.get('content-type'), `${type}; charset=utf-8`)
    assert.equal(reply.headers.get('x-content-type-options'), 'nosniff')
    assert.ok((await reply.text()).length > 500)
  }
  for (const name of ['page.html', 'swagger-ui.js', '..%2fapi.ts', '__proto__']) {
    assert.equal((await call(file, { params: { file: name } })).status, 404, name)
  }
})

/** The bytes as they are on the wire. */
async function raw(path: string, headers: Record<string, string>) {
  const reply = await fetch(url + path, { headers })
  const { status } = reply
  const [etag, encoding] = ['etag', 'content-encoding'].map((name) => reply.headers.get(name))
  return { status, etag, encoding, vary: reply.headers.get('vary'), text: await reply.text() }
}

test('what is compressed says so, has a tag of its own, and is the same text', async () => {
  for (const path of ['/api/swagger', '/swagger.v1.json', '/api/swagger/swagger-ui.css']) {
    const packed = await raw(path, { 'accept-encoding': 'gzip, br' })
    const zipped = await raw(path, { 'accept-encoding': 'gzip' })
    assert.deepEqual([zipped.encoding, zipped.text], ['gzip', packed.text])
    for (const accepted of ['identity', 'br;q=0', 'gzip;q=0', 'brown']) {
      const plain = await raw(path, { 'accept-encoding': accepted })
      assert.deepEqual([plain.encoding, packed.encoding], [null, 'br'], accepted)
      assert.equal(new Set([plain.etag, packed.etag, zipped.etag]).size, 3)
      assert.equal(plain.text, packed.text)
    }
    assert.equal(packed.vary, 'Accept-Encoding')
  }
})

test(`${page}, ${forge}, ${forgeFormerly} and ${site} are told to be unchanged to those who have them`, async () => {
  for (const literal of readable) {
    const first = await call(literal)
    const etag = first.headers.get('etag')
    assert.ok(etag, literal)
    const address = url + literal.slice('GET '.length)
    const again = await fetch(address, { headers: { 'if-none-match': etag } })
    assert.deepEqual([again.status, await again.text()], [304, ''])
    const head = await fetch(address, { method: 'HEAD' })
    assert.deepEqual([head.headers.get('etag'), await head.text()], [etag, ''])
  }
})

test('they are there for everybody where the forge is not', async () => {
  for (const literal of readable) assert.equal((await closed.call(literal)).status, 200)
})

test('what a refusal of the forge points to is there', async () => {
  const { body } = await call('GET /api/v1/user')
  const path = new URL(body.url).pathname
  assert.equal((await fetch(url + path)).status, 200)
})

test('other methods and paths beside them are refused', async () => {
  const posted = await fetch(`${url}/api/swagger`, { method: 'POST' })
  assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD, OPTIONS'])
  assert.equal((await fetch(`${url}/swagger.v2.json`)).status, 404)
})

test('a 405 names the methods of the path, not those of a path with a variable in that place', async () => {
  for (const below of ['/admin/actions/runners', '/orgs/x/actions/runners', '/user/actions/runners']) {
    const { status, headers } = await fetch(`${url}/api/v1${below}/registration-token`, { method: 'PUT' })
    assert.deepEqual([status, headers.get('allow')], [405, 'DELETE, GET, HEAD, POST'], below)
  }
})
