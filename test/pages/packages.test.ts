import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { makersFor } from '../support/forge/make.ts'
import { signedIn } from './admin/browser.ts'
import { browserOf } from './browser.ts'
import { led } from './forms.ts'

const app = await startApp()
const { url, call, pool } = app
const make = makersFor(app)
const ada = await make.person({ name: 'ada' })
const eve = await make.person({ name: 'eve' })

const { get, page, statusOf } = browserOf(url)

for (const version of ['1.0+2', '1.1'])
  await call('PUT /api/packages/{owner}/generic/{package}/{version}/{file}', {
    as: ada,
    params: {
      owner: 'ada',
      package: 'Tool',
      version,
      file: version === '1.1' ? 'plain.bin' : 'a=b $(x) & c.bin',
    },
    body: 'content',
  })
await call('PUT /api/packages/{owner}/npm/{name}', {
  as: ada,
  params: { owner: 'ada', name: '@ada/kit' },
  body: {
    name: '@ada/kit',
    'dist-tags': { latest: '1.0.0' },
    versions: { '1.0.0': { name: '@ada/kit', version: '1.0.0', description: '<script>' } },
    _attachments: { 'kit-1.0.0.tgz': { data: Buffer.from('x').toString('base64') } },
  },
})

test('GET /{owner}/-/packages lists versions, and filters them', async () => {
  const listed = await page('/ada/-/packages')
  assert.match(listed, /3 versions/)
  for (const address of ['generic/tool/1.0+2', 'generic/tool/1.1', 'npm/@ada%2Fkit/1.0.0'])
    assert.ok(listed.includes(`href="https://forgehall.example/ada/-/packages/${address}"`), address)
  assert.match(await page('/ada/-/packages?type=npm'), /1 version</)
  assert.match(await page('/ada/-/packages?q=TOO'), /2 versions/)
  assert.match(await page('/eve/-/packages'), /0 versions/)
  for (const query of ['q="><script>', 'type=%00', 'page=0', 'page=x']) await page(`/ada/-/packages?${query}`)
})

test('GET /{owner}/-/packages/{type}/{name}/{version} shows files, and how to get them', async () => {
  const tool = await page('/ada/-/packages/generic/tool/1.0+2')
  assert.match(
    tool,
    /curl -fOJ &#39;https:\/\/forgehall\.example\/api\/packages\/ada\/generic\/Tool\/1\.0%2B2\/a%3Db%20%24\(x\)%20%26%20c\.bin&#39;/,
  )
  assert.ok(tool.includes(createHash('sha256').update('content').digest('hex')))
  const kit = await page('/ada/-/packages/npm/@ada%2Fkit/1.0.0')
  assert.match(
    kit,
    /npm config set @ada:registry https:\/\/forgehall\.example\/api\/packages\/ada\/npm\/\nnpm install @ada\/kit@1\.0\.0/,
  )
  for (const path of ['generic/tool/2', 'npm/tool/1.1', 'x/tool/1.1', 'generic/none/1.1', 'generic/tool/%00'])
    assert.equal(await statusOf(`/ada/-/packages/${path}`), 404, path)
})

test('GET /{owner}/-/packages/{type}/{name}/{version}/files/{file} sends a file of that version only', async () => {
  const shown = await page('/ada/-/packages/generic/tool/1.1')
  const [, path = ''] =
    /href="https:\/\/forgehall\.example(\/ada\/-\/packages\/[^"]+\/files\/\d+)"/.exec(shown) ?? []
  const response = await get(path)
  assert.equal(await response.text(), 'content')
  assert.match(
    response.headers.get('content-disposition') ?? '',
    /^attachment; filename="plain\.bin"; filename\*=UTF-8''plain\.bin$/,
  )
  assert.equal(await statusOf(path, { range: 'bytes=0-1' }), 206)
  assert.equal(await statusOf(path, { range: 'bytes=99-' }), 416)
  assert.equal(await statusOf(path, { 'if-none-match': response.headers.get('etag') ?? '' }), 304)
  assert.equal(await statusOf(path.replace('1.1', '1.0+2')), 404)
  for (const id of ['0', 'x', '999']) assert.equal(await statusOf(path.replace(/\d+$/, id)), 404)
})

test('packages of an owner who is private have no pages for others', async () => {
  await pool`update forge.account set visibility = 'private' where name = 'ada'`
  for (const path of ['', '/generic/tool/1.1']) {
    assert.equal(await statusOf(`/ada/-/packages${path}`), 404)
    assert.equal(await statusOf(`/ada/-/packages${path}`, { authorization: eve.authorization }), 404)
    assert.equal(await statusOf(`/ada/-/packages${path}`, { authorization: ada.authorization }), 200)
  }
})

test('POST /{owner}/-/packages/{type}/{name}/{version} deletes a version or the package, for those who may', async () => {
  await pool`update forge.account set visibility = 'public' where name = 'ada'`
  const [own, other] = [await signedIn(app, 'ada'), await signedIn(app, 'eve')]
  const version = '/ada/-/packages/generic/tool/1.1'
  const deletion = { action: 'delete-version' }
  assert.match(await own.page(version), /value="delete-version"/)
  for (const shown of [await other.page(version), await page(version)])
    assert.doesNotMatch(shown, /value="delete-/)
  assert.equal((await other.post(version, deletion)).status, 403)
  assert.equal((await own.post(version, { action: 'other' })).status, 400)
  assert.equal((await own.post('/ada/-/packages/generic/tool/9', deletion)).status, 404)
  assert.equal(await led(own, version, deletion), '/ada/-/packages')
  assert.equal(await statusOf(version), 404)
  const left = '/ada/-/packages/generic/tool/1.0+2'
  assert.equal(await statusOf(left), 200)
  assert.equal(await led(own, left, { action: 'delete-package' }), '/ada/-/packages')
  assert.match(await page('/ada/-/packages'), /1 version</)
})
