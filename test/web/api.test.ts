import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'

const { call, url } = await startApp()
const closed = await startApp({ REQUIRE_SIGNIN: 'true' })
const page = 'GET /api/swagger'
const forge = 'GET /swagger.v1.json'
const site = 'GET /api/openapi.json'

/** Every reference inside a document leads somewhere. */
function holdReferences(document: object): void {
  const { components } = document as { components: { schemas: Record<string, unknown> } }
  const names = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)]
  assert.ok(names.length > 0)
  for (const [, name = ''] of names) assert.ok(components.schemas[name], name)
}

test(`${forge} is the document of the management API, for everybody, with the release that clients compare`, async () => {
  const { status, body, headers } = await call(forge)
  assert.equal(status, 200)
  assert.equal(headers.get('access-control-allow-origin'), '*')
  assert.match(body.info.version, /^28\.0\.0\+/)
  assert.deepEqual(body.servers, [{ url: '.' }])
  assert.deepEqual(body.security, [{}, { token: [] }, { password: [] }])
  assert.deepEqual(Object.keys(body.components.securitySchemes), ['token', 'password'])
  assert.ok(body.paths['/api/v1/admin/cron/{task}'].post)
  assert.ok(Object.keys(body.paths).every((path) => path.startsWith('/api/v1/')))
  holdReferences(body)
})

test(`${site} is the document of the site API`, async () => {
  const { body } = await call(site)
  assert.deepEqual(body.servers, [{ url: '..' }])
  assert.equal(Object.values(body.paths).flatMap((path) => Object.keys(path as object)).length, 12)
  holdReferences(body)
})

test('servers of both documents are the root, wherever that is', () => {
  const root = 'https://example.org/forge/'
  assert.equal(new URL('.', `${root}swagger.v1.json`).href, root)
  assert.equal(new URL('..', `${root}api/openapi.json`).href, root)
})

test(`${page} lists every operation of both documents and leads to them and to itself`, async () => {
  const { body, headers } = await call(page)
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
  const documents = [(await call(forge)).body, (await call(site)).body]
  for (const { paths } of documents) {
    for (const [path, methods] of Object.entries<Record<string, { operationId: string }>>(paths)) {
      assert.ok(body.includes(`<code>${path}</code>`), path)
      for (const { operationId } of Object.values(methods))
        assert.ok(body.includes(`<details id="${operationId}">`), operationId)
    }
  }
  const ids = [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  assert.equal(new Set(ids).size, ids.length, 'ids are unique')
  const links = [...body.matchAll(/ href="([^"]+)"/g)].map(([, href]) => href ?? '')
  for (const link of links) if (link.startsWith('#')) assert.ok(ids.includes(link.slice(1)), link)
  const elsewhere = new Set(links.filter((link) => !link.startsWith('#')))
  assert.deepEqual([...elsewhere], ['../swagger.v1.json', 'openapi.json'])
  for (const link of elsewhere) assert.equal((await fetch(new URL(link, `${url}/api/swagger`))).status, 200)
})

test(`${page} runs nothing and loads nothing: its policy allows its own style alone`, async () => {
  const { body, headers } = await call(page)
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(body) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  assert.equal(
    headers.get('content-security-policy'),
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
  assert.doesNotMatch(body, /<script|<link|<img|<iframe|\sstyle=|\son\w+=|https?:\/\//)
})

test(`${page}, ${forge} and ${site} are made once, and told to be unchanged to those who have them`, async () => {
  for (const literal of [page, forge, site]) {
    const first = await call(literal)
    const etag = first.headers.get('etag')
    assert.ok(etag, literal)
    const second = await call(literal)
    assert.equal(second.headers.get('etag'), etag)
    assert.deepEqual(second.body, first.body)
    const address = url + literal.slice('GET '.length)
    const again = await fetch(address, { headers: { 'if-none-match': etag } })
    assert.deepEqual([again.status, await again.text()], [304, ''])
    const head = await fetch(address, { method: 'HEAD' })
    assert.equal(head.headers.get('etag'), etag)
  }
})

test('they are there for everybody where the forge is not', async () => {
  for (const literal of [page, forge, site]) assert.equal((await closed.call(literal)).status, 200)
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
