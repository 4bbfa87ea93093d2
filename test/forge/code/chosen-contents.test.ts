import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { startRepository } from '../../support/forge/workflows.ts'

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: join(folder, 'data') })
const { call, make } = app
const [ada, eve] = await make.people('ada', 'eve')

const ROOT = 'GET /api/v1/repos/{owner}/{repo}/contents-ext'
const EXT = 'GET /api/v1/repos/{owner}/{repo}/contents-ext/{filepath...}'
const LIST = 'GET /api/v1/repos/{owner}/{repo}/file-contents'
const POST = 'POST /api/v1/repos/{owner}/{repo}/file-contents'

const oid = 'ab'.repeat(32)
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 12\n`
const repo = await startRepository({ ...app, folder, ada }, 'code')
const first = await repo.push({ a: 'one\n', pointer, 'docs/x': 'x' })
await repo.git('tag', 'v1')
await repo.git('push', '-q', 'origin', 'v1')
await repo.push({ a: 'two\n' })
await startRepository({ ...app, folder, ada }, 'hollow')

interface More {
  as?: Somebody | { authorization: string } | undefined
  name?: string
  query?: Record<string, string>
}
const ext = (filepath: string, { as, name = 'code', query = {} }: More = {}) =>
  call(filepath === '' ? ROOT : EXT, {
    ...(as && { as }),
    params: { owner: 'ada', repo: name, filepath },
    query,
  })
const list = (body: unknown, { as, name = 'code', query = {} }: More = {}) =>
  call(LIST, {
    ...(as && { as }),
    params: { owner: 'ada', repo: name },
    query: { ...query, body: typeof body === 'string' ? body : JSON.stringify(body) },
  })
const post = (body: unknown, { as, name = 'code', query = {} }: More = {}) =>
  call(POST, { ...(as && { as }), params: { owner: 'ada', repo: name }, query, body })

const base64 = (text: string) => Buffer.from(text).toString('base64')
const edit = (body: object) =>
  call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params: { owner: 'ada', repo: 'code' }, body })

test(`${EXT} and ${ROOT} show the parts of files and folders that the request names`, async () => {
  const plain = (await ext('a')).body
  assert.deepEqual(Object.keys(plain), ['file_contents'])
  const { content, encoding, last_commit_sha, last_commit_message } = plain.file_contents
  assert.deepEqual(
    [content, encoding, last_commit_sha, last_commit_message],
    [null, null, undefined, undefined],
  )
  const all = 'file_content, lfs_metadata,commit_metadata,,commit_message'
  const { file_contents: file } = (await ext('a', { query: { includes: all, ref: 'v1' } })).body
  assert.deepEqual([file.content, file.last_commit_sha], [base64('one\n'), first])
  assert.match(file.last_commit_message, /\S/)
  assert.match(file.url, /\/contents\/a\?ref=v1$/)
  const message = (await ext('', { query: { includes: 'commit_message' } })).body
  assert.deepEqual(Object.keys(message), ['dir_contents'])
  assert.deepEqual(
    message.dir_contents.map((each: Record<string, unknown>) => [
      each.name,
      typeof each.last_commit_message,
      each.last_commit_sha,
      each.lfs_oid,
      each.content,
    ]),
    ['a', 'docs', 'pointer'].map((name) => [name, 'string', undefined, undefined, null]),
  )
  const lfs = (await ext('.', { query: { includes: 'lfs_metadata,file_content' } })).body.dir_contents
  assert.deepEqual(
    lfs.map((each: Record<string, unknown>) => [each.lfs_oid, each.lfs_size, each.content]),
    [
      [undefined, undefined, null],
      [undefined, undefined, null],
      [oid, 12, null],
    ],
  )
  assert.deepEqual((await ext('', { name: 'hollow' })).body, { dir_contents: [] })
})

test(`${EXT} and ${ROOT} refuse unknown options and paths`, async () => {
  const unknown = await ext('a', { query: { includes: 'file_content,bytes' } })
  assert.deepEqual([unknown.status, unknown.body.message], [400, 'unknown include option "bytes"'])
  assert.equal((await ext('', { query: { includes: 'x' } })).status, 400)
  assert.equal((await ext('none')).status, 404)
  assert.equal((await ext('', { query: { ref: 'none' } })).status, 404)
  assert.equal((await ext('a', { name: 'hollow' })).status, 404)
  for (const path of ['.GIT/config', 'x\0y', 'x'.repeat(5000)]) assert.equal((await ext(path)).status, 400)
})

test(`${EXT} leaves out messages of commits that would make an answer too large`, async () => {
  const large = await startRepository({ ...app, folder, ada }, 'talkative')
  await large.push(Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`f${at}`, `${at}`])))
  await large.git('commit', '-q', '--amend', '-m', 'x'.repeat(60_000))
  await large.git('push', '-q', '--force', 'origin', 'HEAD:main')
  const { body } = await ext('', { name: 'talkative', query: { includes: 'commit_message' } })
  const shown = body.dir_contents.filter((each: object) => 'last_commit_message' in each)
  assert.equal(body.dir_contents.length, 200)
  assert.equal(shown.length, 139)
})

test(`${LIST} and ${POST} send files in the order of the request, and null for missing ones`, async () => {
  const files = ['docs/x', 'none', 'a', '../a', '.git/config', 'a\0', 'docs', '']
  for (const answer of [await list({ files }), await post({ files })]) {
    assert.equal(answer.status, 200)
    const shown = answer.body.map((each: Record<string, unknown> | null) => each && [each.path, each.content])
    const x = ['docs/x', base64('x')]
    assert.deepEqual(shown, [x, null, ['a', base64('two\n')], null, null, null, ['docs', null], null])
    assert.equal(answer.body[0].last_commit_sha, first)
  }
  assert.deepEqual((await list({})).body, [])
  assert.equal((await post({ files: ['a'] }, { query: { ref: 'v1' } })).body[0].content, base64('one\n'))
})

test(`${LIST} and ${POST} end their answer after 30 files, and before it is too large`, async () => {
  const many = await startRepository({ ...app, folder, ada }, 'many')
  await many.push({ b1: 'x'.repeat(7 << 20), b2: 'y'.repeat(7 << 20), b3: 'z'.repeat((10 << 20) + 1), s: '' })
  assert.equal((await post({ files: Array(40).fill('s') }, { name: 'many' })).body.length, 30)
  const { body } = await post({ files: ['b3', 'b1', 's', 'b2', 's'] }, { name: 'many' })
  assert.deepEqual(
    body.map((each: { path: string; content: string | null }) => [each.path, each.content?.length]),
    [
      ['b3', undefined],
      ['b1', 9_786_712],
      ['s', 0],
    ],
  )
})

test(`${LIST} and ${POST} refuse invalid lists and unknown revisions`, async () => {
  for (const body of ['', '{', 'null', '[]', '{"files":1}', '{"files":[1]}', '{"files":{}}']) {
    const answer = await list(body)
    assert.deepEqual([answer.status, answer.body.message], [400, 'invalid body parameter'], body)
  }
  const empty = await post({ files: [] })
  assert.deepEqual([empty.status, empty.body.message], [422, '[Files]: Required'])
  assert.equal((await post({ files: 1 })).status, 422)
  for (const ref of ['none', '..', 'a\0b', 'HEAD^', '-x'])
    for (const ask of [list, post])
      assert.equal((await ask({ files: ['a'] }, { query: { ref } })).status, 404)
  for (const ask of [list, post]) assert.equal((await ask({ files: ['a'] }, { name: 'hollow' })).status, 404)
})

test(`${EXT}, ${LIST} and ${POST} are for those who may read the code`, async () => {
  const files = { files: ['a'] }
  const asking = [(as?: Somebody) => ext('a', { as }), (as?: Somebody) => list(files, { as })]
  asking.push((as) => post(files, { as }))
  await edit({ archived: true })
  for (const ask of asking) assert.equal((await ask()).status, 200)
  await edit({ private: true })
  for (const ask of asking)
    assert.deepEqual(
      [(await ask()).status, (await ask(eve)).status, (await ask(ada)).status],
      [404, 404, 200],
    )
  const reader = bearer(await make.token(ada, 'read:repository'))
  assert.equal((await list(files, { as: reader })).status, 200)
  assert.equal((await post(files, { as: reader })).status, 403)
})
