import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startApp } from '../../../support/app.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { bearer } from '../../../support/forge/make.ts'
import { openRaw } from '../../../support/raw.ts'
import { until } from '../../../support/wait.ts'

const dataDir = join(await temporaryFolder(), 'data')
const { call, pool, url, make } = await startApp({ DATA_DIR: dataDir, PACKAGE_FILE_LIMIT: '1m' })
const [ada, eve] = await make.people('Ada', 'eve')
const hidden = await make.person({ name: 'hidden', visibility: 'private' })

const npm = '/api/packages/{owner}/npm'
const [show, put] = [`GET ${npm}/{name}`, `PUT ${npm}/{name}`]
const [showScoped, putScoped] = [`GET ${npm}/{scope}/{name}`, `PUT ${npm}/{scope}/{name}`]
const get = `GET ${npm}/{name}/-/{file}`
const [withdraw, removeAll] = [`PUT ${npm}/{name}/-rev/{rev}`, `DELETE ${npm}/{name}/-rev/{rev}`]
const remove = `DELETE ${npm}/{name}/-/{file}/-rev/{rev}`
const tags = `GET ${npm}/-/package/{name}/dist-tags`
const tag = `${npm}/-/package/{name}/dist-tags/{tag}`
const [search, whoami, ping] = [`GET ${npm}/-/v1/search`, `GET ${npm}/-/whoami`, `GET ${npm}/-/ping`]

/** What npm would send; `more` stands in the version, `over` in the whole. */
function publication(
  name: string,
  version: string,
  more: object = {},
  over: object = {},
  content = Buffer.from(`${name}@${version}`),
) {
  const file = `${name}-${version}.tgz`
  return {
    _id: name,
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { name, version, ...more } },
    _attachments: { [file]: { content_type: 'x', data: content.toString('base64'), length: content.length } },
    ...over,
  }
}
const publish = (name: string, body: unknown, as = ada, owner = 'ada') =>
  call(put, { params: { owner, name }, body, as })
const rows = async () => {
  const [row] = await pool<[{ versions: number; files: number; tags: number }]>`
    select (select count(*) from forge.package_version) as versions, (select count(*) from forge.package_file) as files,
      (select count(*) from forge.package_tag) as tags`
  return { ...row }
}
const halfTaken = async () => readdir(join(dataDir, 'packages', '.temporary')).catch(() => [])
const packument = async (name: string) => (await call(show, { params: { owner: 'ada', name } })).body
const digest = (kind: string, content: Buffer, form: 'hex' | 'base64') =>
  createHash(kind).update(content).digest(form)

test(`${put}, ${show} and ${get} store a version and show where its tarball is`, async () => {
  const content = randomBytes(50_000)
  const dist = {
    integrity: `sha512-${digest('sha512', content, 'base64')}`,
    shasum: digest('sha1', content, 'hex'),
    tarball: 'http://elsewhere.example/x.tgz',
  }
  const more = { description: 'It is', dependencies: { b: '^1' }, dist, _id: 'x', readme: '# It' }
  const made = await publish('tool', publication('tool', '1.0.0', more, {}, content))
  assert.deepEqual([made.status, made.body], [201, { ok: true }])
  const shown = await call(show, { params: { owner: 'ADA', name: 'tool' } })
  assert.equal(shown.status, 200)
  const { versions, time, _rev, ...rest } = shown.body
  assert.deepEqual(rest, {
    name: 'tool',
    _id: 'tool',
    'dist-tags': { latest: '1.0.0' },
    maintainers: [{ name: 'Ada' }],
    description: 'It is',
    readme: '# It',
  })
  const tarball = 'https://forgehall.example/api/packages/Ada/npm/tool/-/tool-1.0.0.tgz'
  assert.deepEqual(versions['1.0.0'], {
    name: 'tool',
    version: '1.0.0',
    description: 'It is',
    dependencies: { b: '^1' },
    _id: 'tool@1.0.0',
    readme: '# It',
    dist: { integrity: dist.integrity, shasum: dist.shasum, tarball },
  })
  assert.deepEqual(Object.keys(time), ['created', 'modified', '1.0.0'])
  assert.match(_rev, /^1-\d+$/)
  const back = await fetch(`${url}${new URL(tarball).pathname}`)
  assert.ok(Buffer.from(await back.arrayBuffer()).equals(content))
  const etag = shown.headers.get('etag') ?? ''
  const again = await fetch(`${url}/api/packages/ada/npm/tool`, { headers: { 'if-none-match': etag } })
  assert.equal(again.status, 304)
  const known = { type: 'npm', name: 'tool', version: '1.0.0', owner: 'ada' }
  const row = await call('GET /api/v1/packages/{owner}/{type}/{name}/{version}', { as: ada, params: known })
  assert.equal(row.body.html_url, 'https://forgehall.example/Ada/-/packages/npm/tool/1.0.0')
})

test(`${putScoped} and ${showScoped}: a scope may be escaped or not`, async () => {
  const scoped = { owner: 'ada', scope: '@club', name: 'kit' }
  const body = publication('@club/kit', '1.0.0')
  assert.equal((await call(putScoped, { params: scoped, body, as: ada })).status, 201)
  assert.equal((await publish('@club/kit', publication('@club/kit', '1.0.1'))).status, 201)
  const shown = await call(showScoped, { params: scoped })
  assert.deepEqual(Object.keys(shown.body.versions), ['1.0.0', '1.0.1'])
  assert.deepEqual(shown.body, await packument('@club/kit'))
  for (const path of [
    '@club/kit/-/kit-1.0.0.tgz',
    '@club%2fkit/-/kit-1.0.0.tgz',
    '%40club%2Fkit/-/kit-1.0.0.tgz',
  ]) {
    const back = await fetch(`${url}/api/packages/ada/npm/${path}`)
    assert.deepEqual([back.status, await back.text()], [200, '@club/kit@1.0.0'], path)
  }
  const version = { owner: 'ada', type: 'npm', name: '@club/kit', version: '1.0.0' }
  const row = await call('GET /api/v1/packages/{owner}/{type}/{name}/{version}', { as: ada, params: version })
  assert.equal(row.body.html_url, 'https://forgehall.example/Ada/-/packages/npm/@club%2Fkit/1.0.0')
  const renamed = await fetch(`${url}/api/packages/ada/npm/@club/kit/-/package`)
  assert.equal(renamed.status, 404)
})

test(`${put} answers 409 to a version that is there, and of several at once one wins`, async () => {
  const before = await rows()
  assert.equal((await publish('tool', publication('tool', '1.0.0'))).status, 409)
  assert.deepEqual([await rows(), await halfTaken()], [before, []])
  // As many as one account may publish at once.
  const all = await Promise.all(
    Array.from({ length: 4 }, (_, n) =>
      publish('race', publication('race', '1.0.0', { n }, {}, Buffer.from(`content ${n}`))),
    ),
  )
  assert.deepEqual(all.map(({ status }) => status).sort(), [201, 409, 409, 409])
  const winner = all.findIndex(({ status }) => status === 201)
  const { versions } = await packument('race')
  assert.equal(versions['1.0.0'].n, winner)
  const back = await fetch(`${url}/api/packages/ada/npm/race/-/race-1.0.0.tgz`)
  assert.equal(await back.text(), `content ${winner}`)
})

test(`${put} answers 400 to a document that is not a publication, and stores nothing`, async () => {
  const before = await rows()
  const good = publication('bad', '1.0.0')
  const attachment = good._attachments['bad-1.0.0.tgz']
  const attached = (data: string, length = attachment?.length) => ({
    _attachments: { 'bad-1.0.0.tgz': { data, length } },
  })
  const bodies: [unknown, RegExp][] = [
    ['', /no document/],
    ['{', /not valid JSON/],
    ['[]', /no document/],
    ['null', /no document/],
    [`${JSON.stringify(good)}x`, /not valid JSON/],
    [Buffer.from([0x22, 0xff, 0x22]).toString('latin1'), /no document/],
    [{ ...good, name: 'other' }, /another name/],
    [{ ...good, name: 7 }, /no document of a package: name/],
    [{ ...good, versions: [] }, /one version/],
    [{ ...good, versions: {} }, /one version/],
    [{ ...good, versions: { '1.0.0': null } }, /no document/],
    [{ ...good, versions: { ...good.versions, '1.0.1': { name: 'bad', version: '1.0.1' } } }, /one version/],
    [publication('bad', 'v1'), /version is invalid/],
    [publication('bad', `1.0.0-${'x'.repeat(245)}`), /too long/],
    [publication('bad', '1.0'), /version is invalid/],
    [publication('bad', '../../x'), /version is invalid/],
    [publication('bad', '1.0.0', { version: '1.0.1' }), /version is invalid/],
    [publication('bad', '1.0.0', { name: 'other' }), /another name/],
    [publication('bad', '1.0.0', { dist: { shasum: '0'.repeat(40) } }), /not what was announced/],
    [publication('bad', '1.0.0', { dist: { integrity: 'sha512-AAAA' } }), /not what was announced/],
    [publication('bad', '1.0.0', { dist: { integrity: 7 } }), /no document/],
    [publication('bad', '1.0.0', {}, { 'dist-tags': { latest: '2.0.0' } }), /tag is invalid/],
    [publication('bad', '1.0.0', {}, { 'dist-tags': { '1.x': '1.0.0' } }), /tag is invalid/],
    [publication('bad', '1.0.0', {}, { 'dist-tags': { 'a b': '1.0.0' } }), /tag is invalid/],
    [publication('bad', '1.0.0', {}, { 'dist-tags': { ['__proto__']: '1.0.0' } }), /tag is invalid/],
    [publication('bad', '1.0.0', {}, { 'dist-tags': { constructor: '1.0.0' } }), /tag is invalid/],
    [publication('bad', '1.0.0', {}, attached('AAAA', 4)), /not what was announced/],
    [publication('bad', '1.0.0', {}, attached('A')), /base64/],
    [publication('bad', '1.0.0', {}, attached('', 0)), /empty/],
    [publication('bad', '1.0.0', { description: 'a\0b' }), /NUL/],
    [publication('bad', '1.0.0', { description: '\ud800' }), /surrogate/],
    [`{"a":${'['.repeat(200)}${']'.repeat(200)}}`, /nested too deeply/],
  ]
  for (const [body, sentence] of bodies) {
    const { status, body: answer } = await publish('bad', body)
    assert.equal(status, 400, JSON.stringify(body))
    assert.match(answer.error, sentence, JSON.stringify(body))
  }
  for (const name of [
    'Bad',
    '.bad',
    '_bad',
    '..',
    '@a',
    '@a/../b',
    'a/b',
    'node_modules',
    'a\0',
    'x'.repeat(215),
  ]) {
    if (name === '..') continue
    assert.equal((await publish(name, publication(name, '1.0.0'))).status, 400, name)
  }
  assert.deepEqual([await rows(), await halfTaken()], [before, []])
})

test(`${put} answers 400 to a new version without a tarball, and publishes nothing`, async () => {
  await publish('bare', publication('bare', '1.0.0'))
  const before = await packument('bare')
  for (const _attachments of [undefined, {}, { 'bare-1.0.1.tgz': { data: 7 } }]) {
    const { status, body } = await publish('bare', publication('bare', '1.0.1', {}, { _attachments }))
    assert.deepEqual([status, body.error], [400, 'there is no version 1.0.1, and no tarball of it'])
  }
  const versions = { ...before.versions, '1.0.1': { name: 'bare', version: '1.0.1' } }
  versions['1.0.0'].deprecated = 'old'
  assert.equal((await publish('bare', { ...before, versions })).status, 400)
  assert.equal((await packument('bare')).versions['1.0.0'].deprecated, undefined)
})

test(`${put} answers 404 to a deprecation of a package that does not exist`, async () => {
  const { _attachments, ...document } = publication('nothing', '1.0.0')
  assert.equal((await publish('nothing', document)).status, 404)
})

test(`${put} answers 413 to a tarball or a document that is too large`, async () => {
  const before = await rows()
  const megabyte = 1024 * 1024
  const large = publication('large', '1.0.0', {}, {}, Buffer.alloc(megabyte + 1))
  const refused = await publish('large', large)
  assert.deepEqual(
    [refused.status, refused.body.error],
    [413, `the tarball is larger than ${megabyte} bytes`],
  )
  const longManifest = publication('large', '1.0.0', { readme: 'x'.repeat(32 * megabyte) })
  assert.equal((await publish('large', longManifest)).status, 413)
  const endless = await publish('large', publication('large', '1.0.0', {}, {}, Buffer.alloc(36 * megabyte)))
  assert.equal(endless.status, 413)
  await until('nothing is left', async () => (await halfTaken()).length === 0)
  assert.deepEqual(await rows(), before)
  assert.equal(
    (await publish('large', publication('large', '1.0.0', {}, {}, Buffer.alloc(megabyte)))).status,
    201,
  )
})

test(`${put} answers 413 when the manifests of a package would be too large together`, async () => {
  const megabyte = 1024 * 1024
  const readme = 'x'.repeat(6 * megabyte)
  for (const [version, status] of [
    ['1.0.0', 201],
    ['1.0.1', 201],
    ['1.0.2', 413],
  ] as const) {
    assert.equal((await publish('chatty', publication('chatty', version, { readme }))).status, status)
  }
  assert.deepEqual(Object.keys((await packument('chatty')).versions), ['1.0.0', '1.0.1'])
  const { body } = await call(tags, { params: { owner: 'ada', name: 'chatty' } })
  assert.deepEqual(body, { latest: '1.0.1' })
})

test(`${put} stores nothing of a client that disconnects during the upload`, async () => {
  const before = await rows()
  const body = JSON.stringify(publication('half', '1.0.0', {}, {}, randomBytes(500_000)))
  const raw = await openRaw(url)
  raw.write(
    `PUT /api/packages/ada/npm/half HTTP/1.1\r\nHost: x\r\nAuthorization: ${ada.authorization}\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body.slice(0, 300_000)}`,
  )
  await until('it has begun', async () => (await halfTaken()).length === 1)
  raw.socket.destroy()
  await until('it is gone', async () => (await halfTaken()).length === 0)
  assert.deepEqual(await rows(), before)
})

test(`${put} and ${withdraw} answer 503 while eight documents are being read`, async () => {
  await publish('busy', publication('busy', '1.0.0'))
  const { _rev: rev } = await packument('busy')
  const head = `PUT /api/packages/ada/npm/slow HTTP/1.1\r\nHost: x\r\nAuthorization: ${ada.authorization}\r\n`
  const slow = await Promise.all(Array.from({ length: 9 }, () => openRaw(url)))
  for (const { write } of slow) write(`${head}Content-Length: 9\r\n\r\n{`)
  await until('one of nine is refused', () => slow.some(({ received }) => received() !== ''))
  const refused = await publish('busy', publication('busy', '1.0.0'))
  assert.equal(refused.status, 503)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  for (const scope of [{}, { scope: '@busy' }]) {
    const literal = 'scope' in scope ? putScoped : put
    const params = { owner: 'ada', ...scope, name: 'busy' }
    assert.equal((await call(literal, { params, body: {}, as: ada })).status, 503)
  }
  assert.equal(
    (await call(withdraw, { params: { owner: 'ada', name: 'busy', rev }, body: {}, as: ada })).status,
    503,
  )
  for (const { socket } of slow) socket.destroy()
  await until(
    'there is room',
    async () => (await publish('busy', publication('busy', '1.0.0'))).status === 409,
  )
})

test(`${tags}, PUT and DELETE of a tag`, async () => {
  await publish('tagged', publication('tagged', '1.0.0'))
  await publish('tagged', publication('tagged', '2.0.0-rc.1', {}, { 'dist-tags': { next: '2.0.0-rc.1' } }))
  const at = (name: string, tag: string) => ({ owner: 'ada', name, tag })
  const move = (tagName: string, body: unknown, name = 'tagged', as = ada) =>
    call(`PUT ${tag}`, { params: at(name, tagName), body, as })
  const drop = (tagName: string, name = 'tagged', as = ada) =>
    call(`DELETE ${tag}`, { params: at(name, tagName), as })
  const list = async () => (await call(tags, { params: { owner: 'ada', name: 'tagged' } })).body
  assert.deepEqual(await list(), { latest: '1.0.0', next: '2.0.0-rc.1' })
  assert.deepEqual((await move('stable', '"1.0.0"')).body, { ok: true })
  assert.equal((await move('latest', '"2.0.0-RC.1"')).status, 200)
  assert.deepEqual(await list(), { latest: '2.0.0-rc.1', next: '2.0.0-rc.1', stable: '1.0.0' })
  for (const body of ['', '{}', '[]', 'null', '7', '""', '1.0.0', `"${'1'.repeat(300)}"`])
    assert.equal((await move('stable', body)).status, 400, body)
  assert.equal((await move('stable', '"9.9.9"')).status, 404)
  for (const invalid of ['1.x', '__proto__', 'constructor', 'prototype'])
    assert.equal((await move(invalid, '"1.0.0"')).status, 400)
  assert.equal((await move('a\0b', '"1.0.0"')).status, 400)
  assert.equal((await move('stable', '"1.0.0"', 'nothing')).status, 404)
  assert.equal((await move('stable', '"1.0.0"', 'tagged', eve)).status, 403)
  assert.equal((await drop('next')).status, 200)
  assert.equal((await drop('next')).status, 404)
  assert.equal((await drop('a\0b')).status, 404)
  assert.equal((await drop('latest')).status, 400)
  assert.equal((await drop('stable', 'nothing')).status, 404)
  assert.equal((await drop('stable', 'tagged', eve)).status, 403)
  assert.deepEqual(await list(), { latest: '2.0.0-rc.1', stable: '1.0.0' })
  assert.equal((await call(tags, { params: { owner: 'ada', name: 'nothing' } })).status, 404)
  const deeds = await pool`select action from forge.audit where action like 'package.%tagged' order by id`
  assert.deepEqual(
    deeds.map(({ action }) => action),
    ['package.tagged', 'package.tagged', 'package.untagged'],
  )
})

test(`a first version under another tag is also ${tags} latest, and after it the greatest remaining one`, async () => {
  const beta = (version: string) =>
    publish('first', publication('first', version, {}, { 'dist-tags': { beta: version } }))
  for (const version of ['1.0.0', '1.10.0', '1.9.0']) await beta(version)
  const list = async () => (await call(tags, { params: { owner: 'ada', name: 'first' } })).body
  assert.deepEqual(await list(), { beta: '1.9.0', latest: '1.0.0' })
  const one = { owner: 'ada', type: 'npm', name: 'first', version: '1.0.0' }
  await call('DELETE /api/v1/packages/{owner}/{type}/{name}/{version}', { as: ada, params: one })
  assert.deepEqual(await list(), { beta: '1.9.0', latest: '1.10.0' })
})

test(`${withdraw} and ${remove} remove a version, ${removeAll} all versions that the caller has seen`, async () => {
  for (const version of ['1.0.0', '2.0.0', '3.0.0']) await publish('gone', publication('gone', version))
  const seen = await packument('gone')
  const params = { owner: 'ada', name: 'gone', rev: seen._rev }
  const { '3.0.0': _, ...left } = seen.versions
  const body = { ...seen, versions: left }
  assert.equal((await call(withdraw, { params, body, as: eve })).status, 403)
  assert.equal((await call(withdraw, { params: { ...params, name: 'nothing' }, body, as: ada })).status, 404)
  assert.equal((await call(withdraw, { params: { ...params, rev: '0-0' }, body, as: ada })).status, 409)
  for (const wrong of [{}, [], { versions: 1 }])
    assert.equal((await call(withdraw, { params, body: wrong, as: ada })).status, 400)
  assert.deepEqual(await packument('gone'), seen)
  assert.equal((await call(withdraw, { params, body: seen, as: ada })).status, 200)
  assert.deepEqual(await packument('gone'), seen)
  assert.equal((await call(withdraw, { params, body, as: ada })).status, 200)
  assert.deepEqual(Object.keys((await packument('gone')).versions), ['1.0.0', '2.0.0'])
  assert.equal((await call(withdraw, { params, body, as: ada })).status, 409)

  const file = (version: string) => ({ ...params, file: `gone-${version}.tgz` })
  assert.equal((await call(remove, { params: file('2.0.0'), as: eve })).status, 403)
  assert.equal((await call(remove, { params: file('2.0.0') })).status, 401)
  assert.deepEqual((await call(remove, { params: file('2.0.0'), as: ada })).body, { ok: true })
  assert.equal((await call(remove, { params: file('2.0.0'), as: ada })).status, 404)
  assert.equal((await call(remove, { params: { ...params, file: '../x.tgz' }, as: ada })).status, 404)

  assert.equal((await call(removeAll, { params, as: ada })).status, 409)
  const now = { ...params, rev: (await packument('gone'))._rev }
  assert.equal((await call(removeAll, { params: now, as: eve })).status, 403)
  const both = await Promise.all([
    call(removeAll, { params: now, as: ada }),
    call(removeAll, { params: now, as: ada }),
  ])
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 404])
  assert.equal((await call(show, { params: { owner: 'ada', name: 'gone' } })).status, 404)
})

test('every operation of a package accepts a scope that is not escaped', async () => {
  const scoped = `${npm}/{scope}/{name}`
  const tagsOf = `${npm}/-/package/{scope}/{name}/dist-tags`
  const of = (more: object = {}) => ({
    as: ada,
    params: { owner: 'ada', scope: '@club', name: 'bag', ...more },
  })
  const statusOf = async (literal: string, request: Parameters<typeof call>[1]) =>
    (await call(literal, request)).status
  const name = '@club/bag'
  for (const version of ['1.0.0', '2.0.0', '3.0.0'])
    assert.equal(await statusOf(`PUT ${scoped}`, { ...of(), body: publication(name, version) }), 201)
  assert.equal(await statusOf(`PUT ${scoped}`, { ...of(), body: publication(name, '1.0.0') }), 409)
  assert.equal(await statusOf(`PUT ${scoped}`, { ...of(), body: publication('other', '1.0.0') }), 400)
  const seen = await packument(name)
  assert.equal(await statusOf(`PUT ${scoped}`, { ...of(), body: seen }), 200)

  const tag = (name: string) => of({ tag: name })
  assert.equal(await statusOf(`PUT ${tagsOf}/{tag}`, { ...tag('old'), body: '"1.0.0"' }), 200)
  assert.equal(await statusOf(`PUT ${tagsOf}/{tag}`, { ...tag('1.x'), body: '"1.0.0"' }), 400)
  assert.deepEqual((await call(`GET ${tagsOf}`, of())).body, { latest: '3.0.0', old: '1.0.0' })
  assert.equal(await statusOf(`DELETE ${tagsOf}/{tag}`, tag('latest')), 400)
  assert.equal(await statusOf(`DELETE ${tagsOf}/{tag}`, tag('old')), 200)

  const rev = (more: object = {}) => of({ rev: seen._rev, ...more })
  const file = { file: 'bag-2.0.0.tgz' }
  const { '3.0.0': _, ...left } = seen.versions
  assert.equal(await statusOf(`PUT ${scoped}/-rev/{rev}`, { ...rev(), body: {} }), 400)
  assert.equal(await statusOf(`PUT ${scoped}/-rev/{rev}`, { ...rev({ rev: '0-0' }), body: seen }), 409)
  assert.equal(
    await statusOf(`PUT ${scoped}/-rev/{rev}`, { ...rev(), body: { ...seen, versions: left } }),
    200,
  )
  assert.equal(await statusOf(`DELETE ${scoped}/-/{file}/-rev/{rev}`, rev(file)), 200)
  assert.deepEqual(Object.keys((await packument(name)).versions), ['1.0.0'])
  assert.equal(await statusOf(`DELETE ${scoped}/-rev/{rev}`, rev()), 409)
  assert.equal(await statusOf(`DELETE ${scoped}/-rev/{rev}`, rev({ rev: (await packument(name))._rev })), 200)
})

test(`${get} sends a part of a tarball, of a scope as well`, async () => {
  for (const name of ['parted', '@club/parted'])
    assert.equal((await publish(name, publication(name, '1.0.0'))).status, 201)
  for (const [literal, scope] of [
    [get, {}],
    [`GET ${npm}/{scope}/{name}/-/{file}`, { scope: '@club' }],
  ] as const) {
    const params = { owner: 'ada', ...scope, name: 'parted', file: 'parted-1.0.0.tgz' }
    const part = (range: string) => call(literal, { params, headers: { range } })
    assert.deepEqual([(await part('bytes=0-1')).status, (await part('bytes=9999-')).status], [206, 416])
  }
})

test(`${get} and ${show} answer 404 for what does not exist`, async () => {
  for (const file of [
    'tool-9.9.9.tgz',
    'tool.tgz',
    'other-1.0.0.tgz',
    '..%2Ftool-1.0.0.tgz',
    'tool-1.0.0.tgz\0',
  ])
    assert.equal((await call(get, { params: { owner: 'ada', name: 'tool', file } })).status, 404, file)
  for (const name of ['nothing', 'TOOL', '@a/b', '.', 'a\0b', '__proto__', 'constructor', 'x'.repeat(300)]) {
    if (name === '.') continue
    assert.equal((await call(show, { params: { owner: 'ada', name } })).status, 404, name)
  }
})

test(`${search}, ${whoami} and ${ping} answer npm clients`, async () => {
  await publish(
    '@club/findme',
    publication('@club/findme', '1.0.0', {
      description: 'Here',
      keywords: ['a', 7],
      author: { name: 'Grace', url: 5 },
      homepage: 'https://x.example',
      repository: { type: 'git', url: 'git+https://x.example/r.git' },
      bugs: 7,
    }),
  )
  const find = async (query: Record<string, string | number>) =>
    (await call(search, { params: { owner: 'ada' }, query })).body
  const { objects, total } = await find({ text: 'FIND' })
  assert.equal(total, 1)
  const { name, scope, version, description, keywords, publisher, author, links } = objects[0].package
  assert.deepEqual(author, { name: 'Grace' })
  assert.deepEqual(links, { homepage: 'https://x.example', repository: 'git+https://x.example/r.git' })
  assert.deepEqual(
    [name, scope, version, description, keywords, publisher.username],
    ['@club/findme', 'club', '1.0.0', 'Here', ['a'], 'Ada'],
  )
  assert.equal((await find({ text: 'find club' })).total, 1)
  assert.equal((await find({ text: 'find other' })).total, 0)
  for (const text of ['%', '_x_', "'", '\\', '\0']) assert.equal((await find({ text })).total, 0, text)
  const all = await find({ text: '' })
  assert.ok(all.total > 3 && all.objects.length === all.total)
  const page = await find({ size: 2, from: 1 })
  assert.deepEqual(page.objects, all.objects.slice(1, 3))
  assert.equal((await find({ size: -1, from: -1 })).objects.length, all.total)
  assert.deepEqual((await find({ from: 1000 })).objects, [])

  const owner = { owner: 'ada' }
  assert.deepEqual((await call(whoami, { params: owner, as: eve })).body, { username: 'eve' })
  assert.equal((await call(whoami, { params: owner })).status, 401)
  assert.deepEqual((await call(ping, { params: owner })).body, {})
})

test(`POST ${npm}/-/npm/v1/security/advisories/bulk, audits and audits/quick know of nothing`, async () => {
  const params = { owner: 'ada' }
  const security = `POST ${npm}/-/npm/v1/security`
  assert.deepEqual((await call(`${security}/advisories/bulk`, { params, body: { a: ['1.0.0'] } })).body, {})
  for (const older of ['audits', 'audits/quick']) {
    const { body } = await call(`${security}/${older}`, { params, body: {} })
    assert.deepEqual([body.advisories, body.metadata.vulnerabilities.critical], [{}, 0])
  }
  const packed = gzipSync(JSON.stringify({ a: ['1.0.0'] }))
  const sent = await fetch(`${url}/api/packages/ada/npm/-/npm/v1/security/advisories/bulk`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: packed,
  })
  assert.deepEqual([sent.status, await sent.json()], [200, {}])
})

test('callers who may not see an owner see none of its packages; callers who may not write publish none', async () => {
  assert.equal((await publish('mine', publication('mine', '1.0.0'), hidden, 'hidden')).status, 201)
  const params = { owner: 'hidden', name: 'mine' }
  assert.equal((await call(show, { params, as: hidden })).status, 200)
  for (const [who, status] of [
    [eve, 404],
    [undefined, 401],
  ] as const) {
    const as = who ? { as: who } : {}
    assert.equal((await call(show, { params, ...as })).status, status)
    assert.equal((await call(get, { params: { ...params, file: 'mine-1.0.0.tgz' }, ...as })).status, status)
    assert.equal((await call(tags, { params, ...as })).status, status)
    assert.equal((await call(search, { params: { owner: 'hidden' }, ...as })).status, status)
    assert.equal((await call(put, { params, body: {}, ...as })).status, status)
  }
  const reading = bearer(await make.token(ada, 'read:package'))
  const refused = await call(put, {
    params: { owner: 'ada', name: 'x' },
    body: publication('x', '1.0.0'),
    as: reading,
  })
  assert.equal(refused.status, 403)
  assert.equal((await publish('x', publication('x', '1.0.0'), eve)).status, 403)
  const anonymous = await call(put, { params: { owner: 'ada', name: 'x' }, body: publication('x', '1.0.0') })
  assert.equal(anonymous.status, 401)
  assert.match(anonymous.headers.get('www-authenticate') ?? '', /^Basic /)
})
