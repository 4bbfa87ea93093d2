import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { Sql } from '../../../src/db/sql.ts'
import { blobsAfter, unknownBlobs } from '../../../src/forge/blobs/blob-store.ts'
import { npmPackagesNamed, npmVersions } from '../../../src/forge/packages/npm/npm-store.ts'
import { pageOfPackages } from '../../../src/forge/packages/package-list-store.ts'
import {
  fileByName,
  filesOf,
  ownedPackageNames,
  versionByName,
} from '../../../src/forge/packages/package-store.ts'
import { startApp } from '../../support/app.ts'
import { onServer } from '../../support/database.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { dotPicture } from '../../support/forge/pictures.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'
import { plansOf } from '../../support/plans.ts'

const app = await startApp()
const { call, pool, url, clock, database, make } = app
const boss = await make.admin({ name: 'boss' })
const [ada, eve] = await make.people('Ada', 'eve')

const listAll = 'GET /api/v1/admin/packages'
const listOf = 'GET /api/v1/packages/{owner}'
const one = '/api/v1/packages/{owner}/{type}/{name}/{version}'
const [show, remove, files] = [`GET ${one}`, `DELETE ${one}`, `GET ${one}/files`]
/** What the specification names beside `generic`, and one that clients know. */
const otherTypes = `alpine arch cargo chef composer conan conda container cran debian go
  helm maven npm nuget pub pypi rpm rubygems swift terraform vagrant`.split(/\s+/)
const upload = async (path: string, as: Somebody = ada, body = 'content') => {
  clock.tick(1000)
  const response = await fetch(`${url}/api/packages/${path}`, {
    method: 'PUT',
    body,
    headers: { authorization: as.authorization },
  })
  assert.equal(response.status, 201)
}
const find = (query: Record<string, string | number> = {}) => call(listAll, { as: boss, query })
const named = ({ body }: { body: { owner: { login: string }; name: string; version: string }[] }) =>
  body.map(({ owner, name, version }) => `${owner.login}/${name}/${version}`)
const place = (name: string, version: string, owner = 'ada', type = 'generic') => ({
  owner,
  type,
  name,
  version,
})

test(`${listAll} lists the versions of all owners, newest first, in pages`, async () => {
  assert.deepEqual((await find()).body, [])
  const org = await make.organization(eve, { name: 'club', visibility: 'private' })
  for (const path of ['Ada/generic/Tool/1/f', 'ada/generic/tool/2/f', 'club/generic/a_b/1/f'])
    await upload(path, path.startsWith('club') ? eve : ada)
  const all = await find()
  assert.deepEqual(named(all), ['club/a_b/1', 'Ada/Tool/2', 'Ada/Tool/1'])
  assert.equal(all.headers.get('x-total-count'), '3')
  const [first, , last] = all.body
  assert.equal(first.owner.id, org.id)
  assert.deepEqual([first.creator.login, first.creator.email], ['eve', eve.email])
  assert.deepEqual(
    [last.type, last.repository, last.html_url],
    ['generic', null, 'https://forgehall.example/Ada/-/packages/generic/tool/1'],
  )
  assert.match(last.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  const page = await find({ limit: 2, page: 2 })
  assert.deepEqual([named(page), page.headers.get('x-total-count')], [['Ada/Tool/1'], '3'])
  assert.match(page.headers.get('link') ?? '', /rel="first",<[^>]*limit=2&page=1>; rel="prev"/)
  assert.deepEqual((await find({ page: 9 })).body, [])
})

test(`${listAll} filters by type; a type without packages gives an empty list`, async () => {
  for (const type of ['generic', ' generic ', 'all', '']) assert.equal((await find({ type })).body.length, 3)
  for (const type of [...otherTypes, 'Generic', 'nonsense', "'", '%']) {
    const found = await find({ type })
    assert.deepEqual([found.status, found.body, found.headers.get('x-total-count')], [200, [], '0'], type)
  }
})

test(`${listAll} finds a text anywhere in names, in any case, without wildcards`, async () => {
  for (const [q, names] of [
    ['TOOL', ['Ada/Tool/2', 'Ada/Tool/1']],
    [' oo ', ['Ada/Tool/2', 'Ada/Tool/1']],
    ['o', ['Ada/Tool/2', 'Ada/Tool/1']],
    ['a_b', ['club/a_b/1']],
    ['_', ['club/a_b/1']],
    ['a%b', []],
    ['%', []],
    ['t_ol', []],
    ['\\', []],
    ["'", []],
    ['ada', []],
    ['1', []],
    ['tool\0', []],
  ] as const) {
    assert.deepEqual(named(await find({ q })), names, q)
  }
  assert.deepEqual(named(await find({ q: 'tool', type: 'npm' })), [])
  assert.deepEqual(named(await find({ q: 'tool', limit: 1, page: 2 })), ['Ada/Tool/1'])
})

test(`${listAll} is for administrators, with a token of that scope`, async () => {
  assert.equal((await call(listAll)).status, 401)
  holdRefusal(await call(listAll, { as: ada }), 403, 'user should be the site admin')
  const narrow = await make.token(boss, 'read:package')
  assert.equal((await call(listAll, { as: bearer(narrow) })).status, 403)
  const wide = await make.token(boss, 'read:admin')
  assert.equal((await call(listAll, { as: bearer(wide) })).status, 200)
})

test(`${listOf} lists the packages of an owner to everyone who may see the owner`, async () => {
  const mine = await call(listOf, { as: ada, params: { owner: 'ADA' } })
  assert.deepEqual([named(mine), mine.headers.get('x-total-count')], [['Ada/Tool/2', 'Ada/Tool/1'], '2'])
  assert.deepEqual(
    named(await call(listOf, { as: eve, params: { owner: 'ada' }, query: { q: 'oo' } })).length,
    2,
  )
  const none = await call(listOf, { as: eve, params: { owner: 'ada' }, query: { type: 'npm' } })
  assert.deepEqual(none.body, [])
  assert.deepEqual(named(await call(listOf, { as: eve, params: { owner: 'club' } })), ['club/a_b/1'])
  assert.equal((await call(listOf, { as: ada, params: { owner: 'club' } })).status, 404)
  assert.equal((await call(listOf, { as: ada, params: { owner: 'nobody' } })).status, 404)
  assert.equal((await call(listOf, { params: { owner: 'ada' } })).status, 401)
  const scoped = bearer(await make.token(ada, 'read:user'))
  assert.equal((await call(listOf, { as: scoped, params: { owner: 'ada' } })).status, 403)
  const open = bearer(await make.token(eve, 'public-only', 'read:package'))
  assert.equal((await call(listOf, { as: open, params: { owner: 'ada' } })).status, 200)
  assert.equal((await call(listOf, { as: open, params: { owner: 'club' } })).status, 403)
})

test(`${files} has all checksums of a content that a picture had before`, async () => {
  const { bytes, base64: image, sha256 } = dotPicture
  await call('POST /api/v1/user/avatar', { as: eve, body: { image } })
  const [picture] = await pool`select sha1 from forge.package_blob where sha256 = ${sha256}`
  assert.deepEqual({ ...picture }, { sha1: '' })
  const response = await fetch(`${url}/api/packages/eve/generic/dot/1/dot.png`, {
    method: 'PUT',
    body: new Uint8Array(bytes),
    headers: { authorization: eve.authorization },
  })
  assert.equal(response.status, 201)
  const { body } = await call(files, { as: eve, params: place('dot', '1', 'eve') })
  for (const kind of ['md5', 'sha1', 'sha256', 'sha512'])
    assert.equal(body[0][kind], createHash(kind).update(bytes).digest('hex'), kind)
  await call(remove, { as: eve, params: place('dot', '1', 'eve') })
})

test(`${show} and ${files} show one version`, async () => {
  await upload('ada/generic/tool/2/B.txt', ada, 'other')
  const shown = await call(show, { as: eve, params: place('TOOL', '2') })
  assert.deepEqual([shown.status, named({ body: [shown.body] })], [200, ['Ada/Tool/2']])
  const listed = await call(files, { as: eve, params: place('tool', '2') })
  assert.deepEqual(
    listed.body.map((each: { name: string; Size: number; md5: string; sha1: string }) => [
      each.name,
      each.Size,
      each.md5,
      each.sha1.length,
    ]),
    [
      ['B.txt', 5, '795f3202b17cb6bc3d4b771d8c6c9eaf', 40],
      ['f', 7, '9a0364b9e99bb480dd25e1f0284c8555', 40],
    ],
  )
  for (const params of [
    place('tool', '3'),
    place('other', '2'),
    place('tool', '2', 'ada', 'npm'),
    place('tool', '2', 'eve'),
    place('tool', '2', 'nobody'),
    place('tool\0', '2'),
    place('tool', '2', 'ada', 'generic\0'),
    place('../x', '2'),
    place('ä', '2'),
    place('x'.repeat(1000), '2'),
  ]) {
    for (const literal of [show, files, remove])
      assert.equal(
        (await call(literal, { as: ada, params: { ...params } })).status,
        params.owner === 'eve' && literal === remove ? 403 : 404,
      )
  }
  for (const literal of [show, files, remove])
    assert.equal((await call(literal, { params: place('tool', '2') })).status, 401)
})

test(`${remove} removes a version, for callers with write access`, async () => {
  await upload('ada/generic/short/1/f')
  const params = place('short', '1')
  holdRefusal(
    await call(remove, { as: eve, params }),
    403,
    'user should have specific permission or be a site admin',
  )
  const reading = bearer(await make.token(ada, 'read:package'))
  assert.equal((await call(remove, { as: reading, params })).status, 403)
  const writing = bearer(await make.token(ada, 'write:package'))
  assert.equal((await call(remove, { as: writing, params })).status, 204)
  assert.equal((await call(remove, { as: ada, params })).status, 404)
  assert.equal((await pool`select from forge.package where key = 'short'`).length, 0)
  await upload('ada/generic/short/1/f')
  assert.equal((await call(remove, { as: boss, params })).status, 204)
})

const whole = '/api/v1/packages/{owner}/{type}/{name}'
const [versions, latest, removeAll] = [`GET ${whole}`, `GET ${whole}/-/latest`, `DELETE ${whole}`]

test(`${versions} and ${latest} show the versions of one package, newest first`, async () => {
  for (const version of ['1.0', '2.0', '1.1']) {
    clock.tick(1000)
    await upload(`ada/generic/series/${version}/a.bin`)
  }
  await upload('ada/generic/series-two/9.0/a.bin')
  const params = { owner: 'ada', type: 'generic', name: 'SERIES' }
  const first = await call(versions, { as: eve, params, query: { limit: 2 } })
  assert.deepEqual(
    first.body.map(({ version }: { version: string }) => version),
    ['1.1', '2.0'],
  )
  assert.equal(first.headers.get('x-total-count'), '3')
  assert.match(first.headers.get('link') ?? '', /page=2/)
  assert.deepEqual((await call(latest, { as: eve, params })).body, first.body[0])
  for (const literal of [versions, latest]) {
    assert.equal((await call(literal, { params })).status, 401)
    for (const other of [
      { name: 'serie' },
      { name: '%' },
      { type: 'npm' },
      { owner: 'eve' },
      { owner: 'nobody' },
    ])
      assert.equal((await call(literal, { as: eve, params: { ...params, ...other } })).status, 404)
  }
})

test(`${removeAll} removes a package with all its versions, for callers with write access`, async () => {
  for (const version of ['1.0', '2.0']) await upload(`ada/generic/whole/${version}/a.bin`)
  await upload('ada/generic/whole-two/1.0/a.bin')
  const params = { owner: 'ada', type: 'generic', name: 'whole' }
  assert.equal((await call(removeAll, { as: eve, params })).status, 403)
  assert.equal((await call(removeAll, { params })).status, 401)
  assert.equal((await call(versions, { as: ada, params })).body.length, 2)
  assert.equal((await call(removeAll, { as: ada, params })).status, 204)
  assert.equal((await call(removeAll, { as: ada, params })).status, 404)
  assert.equal((await call(show, { as: ada, params: place('whole', '1.0') })).status, 404)
  assert.equal((await call(show, { as: ada, params: place('whole-two', '1.0') })).status, 200)
  const [{ audited }] = await pool<[{ audited: number }]>`
    select count(*)::int as audited from forge.audit
    where action = 'package.deleted' and target_name like '%whole%'`
  assert.equal(audited, 2)
})

test('a deleted publisher is shown as the ghost', async () => {
  const guest = await make.person({ name: 'guest' })
  const org = await make.organization(ada, { name: 'open-club' })
  await make.team(org, [guest], { permission: 'write' })
  await upload('open-club/generic/left/1/f', guest)
  await pool`delete from forge.team_member where account_id = ${guest.id}`
  const deleteUser = 'DELETE /api/v1/admin/users/{username}'
  assert.equal((await call(deleteUser, { as: boss, params: { username: 'guest' } })).status, 422)
  const purged = await call(deleteUser, { as: boss, params: { username: 'guest' }, query: { purge: 'true' } })
  assert.equal(purged.status, 204)
  const { body } = await call(show, { as: ada, params: place('left', '1', 'open-club') })
  assert.deepEqual([body.creator.id, body.creator.login], [-1, 'Ghost'])
})

test('an owner is not deleted while it has packages; purge deletes them, too', async () => {
  const zoe = await make.person({ name: 'zoe' })
  await upload('zoe/generic/kept/1/f', zoe)
  const deleteUser = 'DELETE /api/v1/admin/users/{username}'
  const params = { username: 'zoe' }
  const refused = await call(deleteUser, { as: boss, params })
  const sentence = `user still has ownership of packages [uid: ${zoe.id}]`
  holdRefusal(refused, 422, `${sentence}: generic/kept`)
  const org = await make.organization(zoe, { name: 'zoes' })
  await upload('zoes/generic/kept/1/f', zoe)
  const deleteOrg = await call('DELETE /api/v1/orgs/{org}', { as: zoe, params: { org: 'zoes' } })
  holdRefusal(deleteOrg, 422, `user still has ownership of packages [uid: ${org.id}]`)
  assert.equal((await call(deleteUser, { as: boss, params, query: { purge: 'true' } })).status, 204)
  const [left] = await pool<[{ left: number }]>`
    select count(*) as left from forge.package where owner_id in (${zoe.id}, ${org.id})`
  assert.equal(left.left, 0)
})

test('a publication and a deletion of its owner at the same time: one of them fails', async () => {
  for (let round = 0; round < 4; round++) {
    const one = await make.person()
    const path = `${url}/api/packages/${one.name}/generic/x/1/f`
    const [put, gone] = await Promise.all([
      fetch(path, { method: 'PUT', body: 'x', headers: { authorization: one.authorization } }),
      call('DELETE /api/v1/admin/users/{username}', { as: boss, params: { username: one.name } }),
    ])
    await put.body?.cancel()
    const outcome = `${put.status} ${gone.status}`
    assert.ok(['201 422', '404 204', '401 204', '409 204'].includes(outcome), outcome)
  }
})

/** So many that the planner prefers indexes, as it does with a million. */
const many = 20_000

test(`${listAll} and ${listOf} scan no growing table`, { skip: !onServer }, async () => {
  const crowd = await pool<{ id: number }[]>`
    insert into forge.account (kind, name, created_at, updated_at)
    select 'person', 'crowd' || n, ${clock.now()}, ${clock.now()}
    from generate_series(1, 50) as n
    returning id`
  const [one = assert.fail()] = crowd
  await pool`
    with package as (
      insert into forge.package (owner_id, type, name, created_at)
      select ${one.id} + n % 50, case when n % 20 = 0 then 'npm' else 'generic' end, 'crowd-' || to_hex(n * 7919),
        ${clock.now()}
      from generate_series(1, ${many}) as n
      returning id, owner_id, type
    )
    insert into forge.package_version (package_id, owner_id, type, version, created_at)
    select id, owner_id, type, '1.0', ${clock.now()}::timestamptz - id * interval '1 second'
    from package`
  await pool`
    insert into forge.package_blob (sha256, sha512, sha1, md5, size, created_at)
    select encode(sha256(id::text::bytea), 'hex'), '', '', '', 1, created_at
    from forge.package_version
    where version = '1.0'`
  await pool`
    insert into forge.package_file (version_id, name, blob, created_at)
    select id, 'f', encode(sha256(id::text::bytea), 'hex'), created_at
    from forge.package_version
    where version = '1.0'`
  for (const table of ['package', 'package_version', 'package_file', 'package_blob', 'account'])
    await pool.unsafe(`vacuum analyze forge.${table}`)
  const first = { page: 1, limit: 50 }
  const anything = { type: '', q: '' }
  for (const filter of [
    anything,
    { ...anything, type: 'npm' },
    { ...anything, owner: one.id },
    { ...anything, owner: one.id, type: 'npm' },
    { ...anything, q: 'crowd-1ef' },
    { ...anything, q: 'crowd-1ef', owner: one.id },
  ]) {
    const plans = await plansOf(database, (sql) => pageOfPackages(sql, filter, first))
    assert.ok(plans.length >= 1)
    for (const plan of plans)
      assert.doesNotMatch(plan, /Seq Scan on package(?!_tally)/, JSON.stringify(filter))
  }
  const statements: ((sql: Sql) => Promise<unknown>)[] = [
    (sql) => versionByName(sql, { owner: one.id, type: 'npm', name: 'crowd-1' }, '1.0'),
    (sql) => fileByName(sql, { owner: one.id, type: 'npm', name: 'crowd-1' }, '1.0', 'f'),
    (sql) => filesOf(sql, 1),
    (sql) => ownedPackageNames(sql, one.id, 6),
    (sql) => npmVersions(sql, one.id, 'crowd-1'),
    (sql) => npmPackagesNamed(sql, { owner: one.id, terms: ['crowd'] }, { size: 20, from: 0 }),
    (sql) => blobsAfter(sql, '', 500),
    (sql) => unknownBlobs(sql, ['a', 'b']),
  ]
  for (const statement of statements) {
    for (const plan of await plansOf(database, statement))
      assert.doesNotMatch(plan, /Seq Scan on package(?!_tally)/, plan)
  }
  const frequent = await find({ q: 'crowd', limit: 5 })
  assert.equal(frequent.headers.get('x-total-count'), '1000', 'the bound to which a search counts')
  assert.doesNotMatch(frequent.headers.get('link') ?? '', /rel="last"/)
  const [wrong] = await pool<[{ differ: boolean }]>`
    select (select sum(versions) from forge.package_tally) <> (select count(*) from forge.package_version) as differ`
  assert.equal(wrong.differ, false)
  const rare = await find({ q: `crowd-${(7919 * 777).toString(16)}` })
  assert.ok(rare.body.length >= 1)
})
