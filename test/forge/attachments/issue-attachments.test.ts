import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { beginOn } from '../../../src/db/begin.ts'
import { cleanUpPackages } from '../../../src/forge/blobs/cleanup.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import type { As } from '../../support/forge/make.ts'
import { until } from '../../support/wait.ts'

const dataDir = join(await temporaryFolder(), 'data')
const limit = 1024 * 1024
const app = await startApp({ DATA_DIR: dataDir, ISSUE_FILE_LIMIT: '1m' })
const { call, pool, make, clock, url } = app
const { blobs } = app.app.tools
const [ada, eve, bob] = await make.people('ada', 'eve', 'bob')

const REPO = '/api/v1/repos/{owner}/{repo}'
const BY_UUID = 'GET /attachments/{uuid}'

/** The two kinds of things that have files here. */
const kinds = ['/issues/{index}', '/issues/comments/{id}'] as const
type Kind = (typeof kinds)[number]

const literals = (kind: Kind) => {
  const all = `${REPO}${kind}/assets`
  const one = `${all}/{attachment_id}`
  return {
    LIST: `GET ${all}`,
    ADD: `POST ${all}`,
    GET: `GET ${one}`,
    EDIT: `PATCH ${one}`,
    DELETE: `DELETE ${one}`,
  }
}

let made = 0
/** An issue of eve in a new repository of ada, or a comment of eve on one. */
async function place(kind: Kind, more: { private?: boolean } = {}) {
  const repo = `r${++made}`
  const inRepo = { owner: 'ada', repo }
  const body = { name: repo, private: more.private ?? false }
  assert.equal((await call('POST /api/v1/user/repos', { as: ada, body })).status, 201)
  if (more.private)
    await call(`PUT ${REPO}/collaborators/{collaborator}`, {
      as: ada,
      params: { ...inRepo, collaborator: 'eve' },
      body: { permission: 'read' },
    })
  const text = { title: 'It leaks', body: 'See the file' }
  const issue = await call(`POST ${REPO}/issues`, { as: eve, params: inRepo, body: text })
  assert.equal(issue.status, 201)
  const said = await call(`POST ${REPO}/issues/{index}/comments`, {
    as: eve,
    params: { ...inRepo, index: 1 },
    body: { body: 'Still' },
  })
  const id = Number(said.body.id)
  const path = `/api/v1/repos/ada/${repo}${kind.replace('{index}', '1').replace('{id}', String(id))}/assets`
  return { ...inRepo, index: 1, id, path, kind }
}
type Place = Awaited<ReturnType<typeof place>>

/** Sends a body of any type. */
async function send(
  { path }: Place,
  { query = '', body, type, as = eve }: { query?: string; body: FormData | Buffer; type?: string; as?: As },
) {
  const answered = await fetch(`${url}${path}${query}`, {
    method: 'POST',
    headers: { authorization: as.authorization, ...(type !== undefined && { 'content-type': type }) },
    body: body instanceof FormData ? body : new Uint8Array(body),
  })
  return { status: answered.status, body: JSON.parse(await answered.text()) }
}

const raw = (at: Place, name: string, body: Buffer | string = 'content', as: As = eve) =>
  send(at, {
    query: `?name=${encodeURIComponent(name)}`,
    body: Buffer.from(body),
    type: 'application/octet-stream',
    as,
  })

function formOf(name: string, bytes: Buffer | string, part = 'attachment') {
  const form = new FormData()
  form.set(part, new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]), name)
  return form
}

/** What the issue or the comment shows of its files. */
const shown = async ({ kind, owner, repo, index, id }: Place, as: As | undefined = eve) =>
  (await call(`GET ${REPO}${kind}`, { ...(as && { as }), params: { owner, repo, index, id } })).body
const namesIn = async (at: Place) =>
  (await call(literals(at.kind).LIST, { as: eve, params: at })).body.map(({ name }: { name: string }) => name)
const halfTaken = () => readdir(join(dataDir, 'packages', '.temporary')).catch(() => [])
const cleanUp = () =>
  cleanUpPackages(blobs, {
    sql: pool,
    begin: beginOn(pool, clock.now),
    now: clock.now(),
    signal: AbortSignal.timeout(60_000),
  })
async function stored() {
  const names: string[] = []
  for await (const name of blobs.names()) names.push(name)
  return names.length
}
const fetched = async (address: string, headers: Record<string, string> = {}) => {
  const answered = await fetch(address.replace('https://forgehall.example', url), { headers })
  return { status: answered.status, headers: answered.headers, text: await answered.text() }
}
/** The events of the outbox about texts, the newest last. */
const edits = async () =>
  (
    await pool<{ kind: string; payload: { action: string; changes?: unknown; [what: string]: unknown } }[]>`
      select kind, payload from forge.event
      where kind in ('issue.changed', 'comment.changed')
      order by id`
  ).filter(({ payload }) => payload.action === 'edited')

for (const kind of kinds) {
  const { LIST, ADD, GET, EDIT, DELETE } = literals(kind)

  test(`${ADD} accepts a form and a raw body; lists, the issue or comment and the download show them`, async () => {
    const at = await place(kind)
    const bytes = randomBytes(100_000)
    const before = await edits()
    clock.tick(1_000)
    const first = await send(at, { body: formOf('dump.gz', bytes) })
    assert.equal(first.status, 201)
    const { id, uuid, created_at, ...rest } = first.body
    assert.deepEqual(rest, {
      name: 'dump.gz',
      size: 100_000,
      download_count: 0,
      browser_download_url: `https://forgehall.example/attachments/${uuid}`,
    })
    const second = await raw(at, 'größe 1.TXT', 'small')
    assert.deepEqual([second.status, second.body.name, second.body.size], [201, 'größe 1.TXT', 5])
    assert.deepEqual((await call(LIST, { params: at })).body, [first.body, second.body])
    const thing = await shown(at)
    assert.deepEqual([thing.assets, thing.updated_at], [[first.body, second.body], created_at])
    assert.deepEqual((await call(GET, { params: { ...at, attachment_id: id } })).body, first.body)
    const whole = await fetch(`${url}/attachments/${uuid}`)
    assert.ok(Buffer.from(await whole.arrayBuffer()).equals(bytes))
    const part = await fetched(second.body.browser_download_url, { range: 'bytes=1-2' })
    assert.deepEqual([part.status, part.text], [206, 'ma'])
    assert.deepEqual(
      (await shown(at)).assets.map(({ download_count }: { download_count: number }) => download_count),
      [1, 1],
    )
    const added = (await edits()).slice(before.length)
    assert.equal(added.length, 2, 'each file is an edit')
    const what = kind.includes('comments') ? 'comment' : 'issue'
    assert.equal(added[0]?.kind, `${what}.changed`)
    assert.deepEqual(added[1]?.payload.changes, { body: { from: thing.body } })
    assert.deepEqual(
      Object(added[0]?.payload[what]).assets.map(({ name }: { name: string }) => name),
      ['dump.gz'],
    )
  })

  test(`${ADD} takes files of 0 bytes and of the largest size, and no larger ones`, async () => {
    const at = await place(kind)
    for (const [size, status] of [
      [0, 201],
      [limit, 201],
      [limit + 1, 413],
    ] as const) {
      const body = Buffer.alloc(size, 1)
      for (const answered of [
        await raw(at, 'f.log', body),
        await send(at, { body: formOf('f.log', body) }),
      ]) {
        assert.equal(answered.status, status)
        if (status === 413) assert.equal(answered.body.message, `attachment exceeds limit ${limit}`)
        else assert.equal(answered.body.size, size)
      }
    }
    assert.deepEqual([(await namesIn(at)).length, await halfTaken()], [4, []])
  })

  test(`${ADD} and ${EDIT} refuse types that issues cannot have, and files without a name or a part`, async () => {
    const at = await place(kind)
    const { body } = await raw(at, 'a.txt')
    const forbidden = /forbidden file extension or type/
    for (const name of ['run.sh', 'page.html', 'noextension', '.txt', 'a.txt.exe', 'a.']) {
      for (const answered of [await raw(at, name), await send(at, { body: formOf(name, 'x') })]) {
        assert.equal(answered.status, 422, name)
        assert.match(answered.body.message, forbidden)
      }
      const edit = { as: eve, params: { ...at, attachment_id: body.id }, body: { name } }
      assert.equal((await call(EDIT, edit)).status, 422, name)
    }
    for (const name of ['../a.txt', 'a\\b.txt', `${'x'.repeat(252)}.txt`])
      assert.equal((await raw(at, name)).status, 422, name)
    assert.equal((await send(at, { body: formOf('a.txt', 'x', 'other') })).status, 400)
    assert.equal((await raw(at, '')).status, 400)
    assert.deepEqual([await namesIn(at), await halfTaken()], [['a.txt'], []])
  })

  test(`${ADD} leaves nothing behind of a file that is cut off, or whose issue or comment is deleted meanwhile`, async () => {
    const at = await place(kind)
    const before = await stored()
    const start = (ended: (status: number) => void) => {
      const req = request(`${url}${at.path}?name=f.txt`, {
        method: 'POST',
        headers: {
          authorization: eve.authorization,
          'content-type': 'application/octet-stream',
          'content-length': 6,
        },
      })
      req.on('error', () => {})
      req.on('response', (res) => ended(res.resume().statusCode ?? 0))
      req.write('abc')
      return req
    }
    const arriving = () => until('the file is arriving', async () => (await halfTaken()).length > 0)
    const dropped = () => until('the file is dropped', async () => (await halfTaken()).length === 0)
    const cut = start(() => {})
    await arriving()
    cut.destroy()
    await dropped()
    let status = 0
    const late = start((each) => {
      status = each
    })
    await arriving()
    const gone = await call(`DELETE ${REPO}/issues/{index}`, { as: ada, params: at })
    assert.equal(gone.status, 204)
    late.end('def')
    await until('the answer', () => status > 0)
    assert.equal(status, 404)
    await dropped()
    await cleanUp()
    assert.equal(await stored(), before)
  })

  test(`${ADD} of several files at once keeps all, and equal contents once`, async () => {
    const at = await place(kind)
    const before = await stored()
    const same = randomBytes(10_000)
    const answers = await Promise.all([
      raw(at, 'a.txt', same),
      raw(at, 'b.txt', same),
      raw(at, 'c.txt', randomBytes(10_000), ada),
    ])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 201],
    )
    assert.deepEqual(
      [(await namesIn(at)).toSorted(), await stored()],
      [['a.txt', 'b.txt', 'c.txt'], before + 2],
    )
  })

  test(`${EDIT} renames and ${DELETE} deletes a file of this issue or comment only`, async () => {
    const [at, other] = [await place(kind), await place(kind)]
    const { body } = await raw(at, 'a.txt')
    const params = { ...at, attachment_id: body.id }
    const renamed = await call(EDIT, { as: eve, params, body: { name: 'b.md' } })
    assert.deepEqual([renamed.status, renamed.body], [201, { ...body, name: 'b.md' }])
    assert.equal((await call(EDIT, { as: eve, params, body: {} })).body.name, 'b.md')
    const otherKind = kinds.find((each) => each !== kind) ?? kind
    for (const [wrong, of] of [
      [{ ...other, attachment_id: body.id }, literals(kind)],
      [{ ...at, attachment_id: 999_999 }, literals(kind)],
      [params, literals(otherKind)],
    ] as const) {
      assert.equal((await call(of.GET, { params: wrong })).status, 404)
      assert.equal((await call(of.EDIT, { as: eve, params: wrong, body: { name: 'c.txt' } })).status, 404)
      assert.equal((await call(of.DELETE, { as: eve, params: wrong })).status, 404)
    }
    assert.deepEqual(await namesIn(at), ['b.md'])
    const twice = await Promise.all([call(DELETE, { as: eve, params }), call(DELETE, { as: ada, params })])
    assert.deepEqual(twice.map(({ status }) => status).toSorted(), [204, 404])
    assert.deepEqual(await namesIn(at), [])
    assert.equal((await fetched(body.browser_download_url)).status, 404)
  })

  test(`${ADD}, ${EDIT} and ${DELETE} are for the author and users who may write to issues`, async () => {
    const at = await place(kind)
    const { body } = await raw(at, 'a.txt')
    const params = { ...at, attachment_id: body.id }
    assert.equal((await raw(at, 'b.txt', 'x', bob)).status, 403)
    assert.equal((await call(EDIT, { as: bob, params, body: { name: 'b.txt' } })).status, 403)
    assert.equal((await call(DELETE, { as: bob, params })).status, 403)
    assert.equal((await call(DELETE, { params })).status, 401)
    assert.equal((await raw(at, 'c.txt', 'x', ada)).status, 201, 'the owner')
    const missing = { ...at, index: 99, id: 999_999 }
    assert.equal((await call(LIST, { params: missing })).status, 404)
    const noPlace = await call(ADD, { as: eve, params: missing, query: { name: 'a.txt' }, body: {} })
    assert.equal(noPlace.status, 404)
    await call(`PATCH ${REPO}`, { as: ada, params: at, body: { archived: true } })
    assert.equal((await raw(at, 'd.txt')).status, 423)
    assert.equal((await call(EDIT, { as: eve, params, body: { name: 'b.txt' } })).status, 423)
    assert.equal((await call(DELETE, { as: eve, params })).status, 423)
    assert.deepEqual(await namesIn(at), ['a.txt', 'c.txt'])
  })

  test(`${BY_UUID} shows files of ${kind} to callers who may read the issues, with a token for issues`, async () => {
    const at = await place(kind, { private: true })
    const { body } = await raw(at, 'a.png', 'picture')
    const address = body.browser_download_url
    assert.equal((await fetched(address)).status, 404)
    assert.equal((await fetched(address, { authorization: bob.authorization })).status, 404)
    const seen = await fetched(address, { authorization: eve.authorization })
    assert.deepEqual(
      [seen.status, seen.text, seen.headers.get('content-type')],
      [200, 'picture', 'image/png'],
    )
    assert.match(seen.headers.get('content-security-policy') ?? '', /sandbox/)
    for (const [scope, status] of [
      ['read:issue', 200],
      ['read:repository', 403],
    ] as const) {
      const authorization = `token ${await make.token(eve, scope)}`
      assert.equal((await fetched(address, { authorization })).status, status, scope)
    }
    await call(`PATCH ${REPO}`, { as: ada, params: at, body: { has_issues: false } })
    assert.equal((await fetched(address, { authorization: eve.authorization })).status, 404)
    assert.equal((await call(LIST, { as: eve, params: at })).status, 404)
  })

  for (const [what, end] of [
    ['its issue', (at: Place) => call(`DELETE ${REPO}/issues/{index}`, { as: ada, params: at })],
    ['its repository', (at: Place) => call(`DELETE ${REPO}`, { as: ada, params: at })],
    ...(kind.includes('comments')
      ? [['itself', (at: Place) => call(`DELETE ${REPO}${kind}`, { as: ada, params: at })] as const]
      : []),
  ] as const)
    test(`the files of ${kind} are deleted with ${what}, and their contents with the next clean-up`, async () => {
      await cleanUp()
      const before = await stored()
      const at = await place(kind)
      const { body } = await raw(at, 'a.txt', randomBytes(1_000))
      assert.deepEqual([await cleanUp(), await stored()], [{ unused: 0, unknown: 0 }, before + 1])
      assert.equal((await end(at)).status, 204)
      assert.equal((await fetched(body.browser_download_url)).status, 404)
      assert.deepEqual([await cleanUp(), await stored()], [{ unused: 1, unknown: 0 }, before])
    })
}
