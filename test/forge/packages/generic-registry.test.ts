import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readlink } from 'node:fs/promises'
import { IncomingMessage, request, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { receiveContent } from '../../../src/forge/blobs/content.ts'
import { Problem } from '../../../src/http/route/problem.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { queuedMessages } from '../../support/forge/hook-messages.ts'
import { basic, bearer, makersFor } from '../../support/forge/make.ts'
import { exchange, openRaw } from '../../support/raw.ts'
import { until } from '../../support/wait.ts'

const dataDir = join(await temporaryFolder(), 'data')
const app = await startApp({ DATA_DIR: dataDir, PACKAGE_FILE_LIMIT: '4m' })
const { call, pool, url, log, make } = app
const [ada, eve] = await make.people('Ada', 'eve')
const boss = await make.admin({ name: 'boss' })

const file = '/api/packages/{owner}/generic/{package}/{version}/{file}'
const [put, get, del] = [`PUT ${file}`, `GET ${file}`, `DELETE ${file}`]
const delVersion = 'DELETE /api/packages/{owner}/generic/{package}/{version}'
const octets = { 'content-type': 'application/octet-stream' }
const places = (path: string) => {
  const [owner = '', name = '', version = '', file = ''] = path.split('/')
  return { owner, package: name, version, file }
}
const upload = (path: string, body = 'content', as: { authorization: string } = ada) =>
  call(put, { params: places(path), body, as, headers: octets })
const download = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/api/packages/${path}`, { headers })
const rows = async () => {
  const [row] = await pool<[{ packages: number; versions: number; files: number; blobs: number }]>`
    select (select count(*) from forge.package) as packages, (select count(*) from forge.package_version) as versions,
      (select count(*) from forge.package_file) as files, (select count(*) from forge.package_blob) as blobs`
  return { ...row }
}
const halfTaken = async () => readdir(join(dataDir, 'packages', '.temporary')).catch(() => [])
/** How many contents this process has open. */
const openContents = async () => {
  const links = (await readdir('/proc/self/fd')).map((fd) =>
    readlink(join('/proc/self/fd', fd)).catch(() => ''),
  )
  return (await Promise.all(links)).filter((path) => path.startsWith(join(dataDir, 'packages'))).length
}
const deeds = async (action: string) =>
  (await pool`select target_name from forge.audit where action = ${action} order by id`).map(
    (row) => row.target_name,
  )
interface Told {
  action: string
  repository: unknown
  package: { name: string; version: string; type: string; html_url: string; owner: { login: string } }
  organization: unknown
  sender: { login: string }
}
/** The messages of webhooks for the queued events, which it removes. */
const takeMessages = async () => {
  const messages: { event: string; payload: Told }[] = await queuedMessages(pool)
  const owners = await pool<{ owner: number }[]>`
    delete from forge.event
    returning (payload #>> '{location,owner}')::bigint as owner`
  return messages.map((message) => ({ ...message, owner: owners[0]?.owner }))
}

test(`${put} stores a file that ${get} and HEAD return, with its checksum as ETag`, async () => {
  await takeMessages()
  const bytes = randomBytes(300_000)
  const sent = await fetch(`${url}/api/packages/ada/generic/Tool/1.0/tool.bin`, {
    method: 'PUT',
    headers: { authorization: ada.authorization },
    body: bytes,
  })
  assert.deepEqual([sent.status, await sent.text()], [201, ''])
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const back = await download('Ada/generic/tool/1.0/TOOL.bin')
  assert.equal(back.status, 200)
  assert.ok(Buffer.from(await back.arrayBuffer()).equals(bytes))
  const about = ['etag', 'content-length', 'content-type', 'accept-ranges', 'content-disposition']
  assert.deepEqual(
    about.map((name) => back.headers.get(name)),
    [
      `"${sha256}"`,
      '300000',
      'application/octet-stream',
      'bytes',
      `attachment; filename="tool.bin"; filename*=UTF-8''tool.bin`,
    ],
  )
  const head = await fetch(`${url}/api/packages/ada/generic/tool/1.0/tool.bin`, { method: 'HEAD' })
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, '300000'])
  const [event, ...others] = await takeMessages()
  assert.deepEqual([event?.event, event?.owner, others.length], ['package', ada.id, 0])
  const { action, repository, package: of, organization, sender } = event?.payload ?? assert.fail()
  assert.deepEqual([action, repository, organization], ['created', null, null])
  const { name, version, type, html_url, owner } = of
  assert.deepEqual([name, version, type], ['Tool', '1.0', 'generic'])
  assert.equal(html_url, 'https://forgehall.example/Ada/-/packages/generic/tool/1.0')
  assert.deepEqual(
    [owner, sender].map(({ login }) => login),
    ['Ada', 'Ada'],
  )
  assert.deepEqual(await deeds('package.published'), ['Ada/generic/Tool/1.0'])
})

test(`${get} sends parts, and 304 to a client that has the file`, async () => {
  await upload('ada/parts/1/a.txt', '0123456789')
  const path = 'ada/generic/parts/1/a.txt'
  const part = await download(path, { range: 'bytes=2-4' })
  assert.deepEqual([part.status, await part.text()], [206, '234'])
  assert.deepEqual(
    [part.headers.get('content-range'), part.headers.get('content-length')],
    ['bytes 2-4/10', '3'],
  )
  const behind = await download(path, { range: 'bytes=10-' })
  assert.deepEqual([behind.status, behind.headers.get('content-range')], [416, 'bytes */10'])
  // RFC 9110, section 14.2: a range is of GET only.
  const head = await fetch(`${url}/api/packages/${path}`, { method: 'HEAD', headers: { range: 'bytes=2-4' } })
  assert.deepEqual(
    [head.status, head.headers.get('content-range'), head.headers.get('content-length')],
    [200, null, '10'],
  )
  const etag = part.headers.get('etag') ?? ''
  const known = await download(path, { 'if-none-match': etag })
  assert.deepEqual([known.status, await known.text()], [304, ''])
  const same = await download(path, { range: 'bytes=-1', 'if-range': etag })
  assert.deepEqual([same.status, await same.text()], [206, '9'])
  const other = await download(path, { range: 'bytes=-1', 'if-range': '"other"' })
  assert.deepEqual([other.status, await other.text()], [200, '0123456789'])
})

test(`${put} takes an empty file`, async () => {
  const empty = await fetch(`${url}/api/packages/ada/generic/parts/1/empty`, {
    method: 'PUT',
    headers: { authorization: ada.authorization },
  })
  assert.equal(empty.status, 201)
  const back = await download('ada/generic/parts/1/empty')
  assert.deepEqual([back.status, back.headers.get('content-length'), await back.text()], [200, '0', ''])
})

test(`${put} answers 409 to a name that exists in any case, and keeps the stored file`, async () => {
  const before = await rows()
  assert.equal((await upload('ada/PARTS/1/A.TXT', 'else')).status, 409)
  assert.equal(await (await download('ada/generic/parts/1/a.txt')).text(), '0123456789')
  assert.deepEqual([await rows(), await halfTaken()], [before, []])
})

test(`${put}: of several clients that publish one name at once, one wins`, async () => {
  const all = await Promise.all(Array.from({ length: 8 }, (_, n) => upload('ada/race/1/x', `content ${n}`)))
  const statuses = all.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [201, ...Array.from({ length: 7 }, () => 409)])
  const stored = await (await download('ada/generic/race/1/x')).text()
  assert.equal(all[Number(stored.slice(-1))]?.status, 201)
  assert.deepEqual(await halfTaken(), [])
})

test(`${put}: concurrent uploads of files create one version and send one event`, async () => {
  await takeMessages()
  const names = Array.from({ length: 8 }, (_, n) => `file${n}`)
  const all = await Promise.all(names.map((name) => upload(`ada/crowd/1/${name}`, 'the same')))
  assert.deepEqual([...new Set(all.map(({ status }) => status))], [201])
  const files = 'GET /api/v1/packages/{owner}/{type}/{name}/{version}/files'
  const params = { owner: 'ada', type: 'generic', name: 'crowd', version: '1' }
  const { body } = await call(files, { as: ada, params })
  assert.deepEqual(
    body.map((each: { name: string }) => each.name),
    names,
  )
  assert.equal(new Set(body.map((each: { sha256: string }) => each.sha256)).size, 1)
  assert.equal((await takeMessages()).length, 1)
})

test(`${put} answers 400 to names that lead to another folder, are too long or not plain`, async () => {
  const before = await rows()
  const long = (count: number) => 'x'.repeat(count)
  const bad = [
    ['a/b', '1', 'f'],
    ['a\\b', '1', 'f'],
    ['a b', '1', 'f'],
    ['a\0b', '1', 'f'],
    ['a\r\nb', '1', 'f'],
    ['ä', '1', 'f'],
    [long(101), '1', 'f'],
    ['a', '../..', 'f'],
    ['a', '1/2', 'f'],
    ['a', '1 ', 'f'],
    ['a', '\u0001', 'f'],
    ['a', long(101), 'f'],
    ['a', '1', '../../etc/passwd'],
    ['a', '1', '..\\x'],
    ['a', '1', ' f'],
    ['a', '1', 'f\0'],
    ['a', '1', 'f\n'],
    ['a', '1', 'ü'],
    ['a', '1', long(256)],
  ]
  for (const [name = '', version = '', file = ''] of bad) {
    const params = { owner: 'ada', package: name, version, file }
    const answered = await call(put, { params, body: 'x', as: ada, headers: octets })
    assert.equal(answered.status, 400, JSON.stringify(params))
    assert.match(answered.body.error, /^the (name|version) of the (package|file) is invalid$/)
    assert.equal((await call(del, { params, as: ada })).status, 404)
  }
  const raw = (path: string) => `PUT /api/packages/ada/generic/${path} HTTP/1.1\r\nHost: x\r\n`
  const head = `Authorization: ${ada.authorization}\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx`
  for (const [path, status] of [
    ['a/1/%zz', 400],
    ['a/1/%2e%2e', 400],
    ['%2e%2e/1/f', 400],
    ['../1/f', 400],
    ['./1/f', 400],
    ['a/../f', 400],
    ['a/1/..', 400],
    ['a/1/.', 400],
    ['a/1/f%00', 400],
  ] as const) {
    const [reply] = await exchange(url, raw(path) + head)
    assert.equal(reply?.status, status, path)
  }
  assert.deepEqual([await rows(), await halfTaken()], [before, []])
  assert.equal((await upload(`ada/${long(100)}/${long(100)}/${long(255)}`)).status, 201)
  assert.equal((await upload('ada/a.b+c-d_e/1.0~rc1+x:2@y=z/.hidden (1) [x]{y};=&%$#!.txt')).status, 201)
})

test(`${put} answers 413 to a file that is too large, announced or not, and stores nothing`, async () => {
  const before = await rows()
  const announced = await upload('ada/large/1/f', 'x'.repeat(4 * 1024 * 1024 + 1))
  assert.deepEqual([announced.status, announced.body.error], [413, 'the body is larger than 4194304 bytes'])
  const chunked = await new Promise<number | undefined>((resolve, reject) => {
    const req = request(`${url}/api/packages/ada/generic/large/1/f`, {
      method: 'PUT',
      headers: { authorization: ada.authorization },
    })
    req.on('response', (res) => {
      res.resume()
      resolve(res.statusCode)
    })
    req.on('error', reject)
    for (let n = 0; n < 5; n++) req.write(Buffer.alloc(1024 * 1024))
    req.end()
  })
  assert.equal(chunked, 413)
  await until('nothing is left', async () => (await halfTaken()).length === 0)
  assert.deepEqual(await rows(), before)
  const whole = await upload('ada/large/1/f', 'x'.repeat(4 * 1024 * 1024))
  assert.equal(whole.status, 201)
})

test(`${put} stores nothing of a client that disconnects during the upload`, async () => {
  const before = await rows()
  const raw = await openRaw(url)
  raw.write(
    `PUT /api/packages/ada/generic/half/1/f HTTP/1.1\r\nHost: x\r\nAuthorization: ${ada.authorization}\r\n` +
      `Content-Length: 1000000\r\n\r\n${'x'.repeat(200_000)}`,
  )
  await until('it has begun', async () => (await halfTaken()).length === 1)
  raw.socket.destroy()
  await until('it is gone', async () => (await halfTaken()).length === 0)
  assert.deepEqual(await rows(), before)
  assert.equal((await download('ada/generic/half/1/f')).status, 404)
})

test(`${put} sends 100 Continue only when it accepts the body`, async () => {
  const head = (path: string) =>
    `PUT /api/packages/ada/generic/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${ada.authorization}\r\n` +
    'Expect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\n'
  const raw = await openRaw(url)
  raw.write(head('expect/1/f'))
  await until('it asks', () => raw.received().startsWith('HTTP/1.1 100 Continue'))
  raw.write('abc')
  assert.match(await raw.closed, /HTTP\/1\.1 201 /)
  const [taken] = await exchange(url, head('expect/1/f'))
  assert.equal(taken?.status, 409)
})

test(`${put} refuses compressed bodies, whose bytes are not those of the file`, async () => {
  const headers = { ...octets, 'content-encoding': 'gzip' }
  const params = places('ada/packed/1/f')
  assert.equal((await call(put, { params, body: 'x', as: ada, headers })).status, 415)
})

test('a full disk is 507, and the upload is discarded', async () => {
  let discarded = 0
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
  const blobs = {
    ...app.app.tools.blobs,
    startUpload: async () => ({
      write: () => Promise.reject(full),
      finish: () => Promise.reject(full),
      discard: async () => {
        discarded++
      },
    }),
  }
  const req = new IncomingMessage(new Socket())
  req.push('x')
  req.push(null)
  const res = new ServerResponse(req)
  const failing = receiveContent({ blobs }, { req, res }, { bytes: 100 }, () => assert.fail())
  await assert.rejects(failing, (error) => error instanceof Problem && error.status === 507)
  assert.equal(discarded, 1)
})

test(`${put}: a content that cannot be placed on the disk leaves no row, and the next attempt succeeds`, async () => {
  const before = await rows()
  const { blobs } = app.app.tools
  const { place } = blobs
  for (const [code, status] of [
    ['ENOSPC', 507],
    ['EIO', 500],
  ] as const) {
    blobs.place = () => Promise.reject(Object.assign(new Error('the disk refuses'), { code }))
    const response = await fetch(`${url}/api/packages/ada/generic/refused/1/f`, {
      method: 'PUT',
      body: 'x',
      headers: { authorization: ada.authorization },
    })
    blobs.place = place
    assert.equal(response.status, status)
    assert.deepEqual([await rows(), await halfTaken()], [before, []])
  }
  assert.equal((await upload('ada/refused/1/f')).status, 201)
})

test(`${get} ends when the client disconnects during the download`, async () => {
  await upload('ada/left/1/f', 'x'.repeat(4 * 1024 * 1024))
  const raw = await openRaw(url)
  raw.socket.pause()
  raw.write('GET /api/packages/ada/generic/left/1/f HTTP/1.1\r\nHost: x\r\nX-Request-Id: left-early\r\n\r\n')
  await until('it is being sent', async () => (await openContents()) > 0)
  raw.socket.destroy()
  const line = await until('its line is logged', () => log.lines().find(({ id }) => id === 'left-early'))
  assert.deepEqual([line.status, line.address], [499, '127.0.0.1'])
  assert.equal(await openContents(), 0)
})

test(`${del} removes a file, and the version with its last one`, async () => {
  await upload('ada/gone/1/a', 'a')
  await upload('ada/gone/1/b', 'b')
  await takeMessages()
  const remove = (path: string, as = ada) => call(del, { params: places(path), as })
  assert.equal((await remove('ada/gone/1/A')).status, 204)
  assert.equal((await remove('ada/gone/1/a')).status, 404)
  assert.equal((await download('ada/generic/gone/1/a')).status, 404)
  assert.equal((await download('ada/generic/gone/1/b')).status, 200)
  assert.deepEqual(await takeMessages(), [])
  assert.equal((await remove('ada/gone/1/b')).status, 204)
  const [event] = await takeMessages()
  assert.equal(event?.payload.action, 'deleted')
  assert.deepEqual(await deeds('package.deleted'), ['Ada/generic/gone/1'])
  assert.deepEqual(await deeds('package_file.deleted'), ['Ada/generic/gone/1'])
  assert.equal((await pool`select from forge.package where name = 'gone'`).length, 0)
  assert.equal((await upload('ada/gone/1/b', 'new')).status, 201)
})

test(`${delVersion} removes a version with its files, once`, async () => {
  for (const path of ['ada/two/1/a', 'ada/two/1/b', 'ada/two/2/a']) await upload(path)
  const remove = (version: string) =>
    call(delVersion, { as: ada, params: { owner: 'ada', package: 'two', version } })
  const both = await Promise.all([remove('1'), remove('1')])
  assert.deepEqual(both.map(({ status }) => status).sort(), [204, 404])
  assert.equal((await download('ada/generic/two/1/a')).status, 404)
  assert.equal((await download('ada/generic/two/2/a')).status, 200)
  assert.equal((await remove('2')).status, 204)
  assert.equal((await remove('3')).status, 404)
})

test(`${put} and ${delVersion} at once leave a whole version or none`, async () => {
  for (let round = 0; round < 5; round++) {
    await upload('ada/dance/1/a')
    const params = { owner: 'ada', package: 'dance', version: '1' }
    const [added, removed] = await Promise.all([
      upload('ada/dance/1/b'),
      call(delVersion, { as: ada, params }),
    ])
    assert.deepEqual([added.status, removed.status], [201, 204])
    const [left] = await pool<[{ versions: number; files: number }]>`
      select count(distinct version.id) as versions, count(file.id) as files
      from forge.package
      left join forge.package_version as version on version.package_id = package.id
      left join forge.package_file as file on file.version_id = version.id
      where package.name = 'dance'`
    assert.ok(left.versions === left.files, JSON.stringify(left))
    if (left.versions > 0) await call(delVersion, { as: ada, params })
  }
})

test('who may read and publish: owners, teams, administrators, tokens with the scope', async () => {
  const org = await make.organization(ada, { name: 'club', visibility: 'private' })
  const [writer, reader] = [await make.person(), await make.person()]
  const packages = { 'repo.packages': 'write' } as const
  await make.team(org, [writer], { permission: 'read', units: packages })
  await make.team(org, [reader], { permission: 'read', units: { 'repo.packages': 'read' } })
  const statuses = async (path: string, who: Record<string, string>) => [
    (await download(`${path.replace('/', '/generic/')}`, who)).status,
    (
      await fetch(`${url}/api/packages/${path.replace('/', '/generic/')}${Math.random()}`, {
        method: 'PUT',
        body: 'x',
        headers: who,
      })
    ).status,
  ]
  await upload('club/x/1/f', 'x', ada)
  const auth = ({ authorization }: { authorization: string }) => ({ authorization })
  assert.deepEqual(await statuses('club/x/1/f', auth(ada)), [200, 201])
  assert.deepEqual(await statuses('club/x/1/f', auth(writer)), [200, 201])
  assert.deepEqual(await statuses('club/x/1/f', auth(reader)), [200, 403])
  assert.deepEqual(await statuses('club/x/1/f', auth(boss)), [200, 201])
  assert.deepEqual(await statuses('club/x/1/f', auth(eve)), [404, 404])
  assert.deepEqual(await statuses('club/x/1/f', {}), [401, 401])
  assert.deepEqual(await statuses('nobody/x/1/f', {}), [401, 401])
  assert.deepEqual(await statuses('nobody/x/1/f', auth(eve)), [404, 404])

  await upload('ada/open/1/f')
  assert.deepEqual(await statuses('ada/open/1/f', {}), [200, 401])
  assert.deepEqual(await statuses('ada/open/1/f', auth(eve)), [200, 403])
  assert.deepEqual(await statuses('ada/open/1/f', basic('Ada')), [200, 201])
  assert.deepEqual(await statuses('ada/open/1/f', basic('Ada', 'wrong')), [401, 401])
  assert.deepEqual(await statuses('ada/open/1/f', basic('Ada', ada.token)), [200, 201])
  const scopes = async (...names: string[]) => bearer(await make.token(ada, ...names))
  assert.deepEqual(await statuses('ada/open/1/f', await scopes('write:package')), [200, 201])
  assert.deepEqual(await statuses('ada/open/1/f', await scopes('read:package')), [200, 403])
  assert.deepEqual(await statuses('ada/open/1/f', await scopes('write:repository')), [403, 403])
  assert.deepEqual(await statuses('club/x/1/f', await scopes('public-only', 'write:package')), [403, 403])
  const anonymous = await fetch(`${url}/api/packages/ada/generic/open/1/g`, { method: 'PUT', body: 'x' })
  assert.match(anonymous.headers.get('www-authenticate') ?? '', /^Basic /)
})

test('a forge that requires a sign-in asks anonymous callers to sign in', async () => {
  const closed = await startApp({ DATA_DIR: dataDir, REQUIRE_SIGNIN: 'true' })
  const zed = await makersFor(closed).person({ name: 'zed' })
  const path = `${closed.url}/api/packages/zed/generic/a/1/f`
  const challenged = await fetch(path)
  assert.equal(challenged.status, 401)
  assert.match(challenged.headers.get('www-authenticate') ?? '', /^Basic /)
  const signed = { headers: { authorization: zed.authorization } }
  assert.equal((await fetch(path, { ...signed, method: 'PUT', body: 'x' })).status, 201)
  assert.equal(await (await fetch(path, signed)).text(), 'x')
})

test('a former name of an owner leads to its packages', async () => {
  const zoe = await make.person({ name: 'zoe' })
  await upload('zoe/kept/1/f', 'still here', zoe)
  const rename = 'POST /api/v1/admin/users/{username}/rename'
  const params = { username: 'zoe' }
  assert.equal((await call(rename, { as: boss, params, body: { new_username: 'zora' } })).status, 204)
  assert.equal(await (await download('zora/generic/kept/1/f')).text(), 'still here')
  const moved = await fetch(`${url}/api/packages/zoe/generic/kept/1/f`, { redirect: 'manual' })
  assert.deepEqual(
    [moved.status, moved.headers.get('location')],
    [307, '/api/packages/zora/generic/kept/1/f'],
  )
  assert.equal((await upload('zora/kept/1/g', 'x', zoe)).status, 201)
})

test('paths and methods that the registries do not have are 404 and 405, with their messages', async () => {
  const unknown = await fetch(`${url}/api/packages/ada/nothing`)
  assert.deepEqual([unknown.status, await unknown.json()], [404, { error: 'not found' }])
  const wrong = await fetch(`${url}/api/packages/ada/generic/a/1/f`, { method: 'POST' })
  assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'DELETE, GET, HEAD, PUT'])
})
