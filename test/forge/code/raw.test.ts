import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { startRepository } from '../../support/forge/workflows.ts'

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: join(folder, 'data') })
const { call, make, url } = app
const [ada, eve] = await make.people('ada', 'eve')

const RAW = 'GET /api/v1/repos/{owner}/{repo}/raw/{filepath...}'
const MEDIA = 'GET /api/v1/repos/{owner}/{repo}/media/{filepath...}'

interface More {
  as?: Somebody
  query?: Record<string, string>
  headers?: Record<string, string>
}
const ask = (literal: string, repo: string, filepath: string, more: More = {}) =>
  call(literal, { params: { owner: 'ada', repo, filepath }, ...more })

/** What a fetch of a file gives: its text, or the status. */
const textOf = async (repo: string, path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${url}/api/v1/repos/ada/${repo}/raw/${path}`, { headers })
  return answer.ok ? answer.text() : answer.status
}

const repo = await startRepository({ ...app, folder, ada }, 'files')
const first = await repo.push({
  'a.txt': 'one',
  'docs/b.png': 'picture',
  bytes: 'a\0b',
  empty: '',
  page: '<p>',
})
await repo.git('tag', 'v1')
await repo.git('push', '-q', 'origin', 'v1')
await repo.push({ 'a.txt': 'two' }, { branch: 'topic/x' })
await repo.push({ long: '0123456789'.repeat(20_000), 'other.txt': 'o' })

test(`${RAW} and ${MEDIA} find the ref in the query or before the path`, async () => {
  for (const [path, text] of [
    ['a.txt', 'two'],
    ['main/a.txt', 'two'],
    ['a.txt?ref=v1', 'one'],
    ['v1/a.txt', 'one'],
    ['topic/x/a.txt', 'two'],
    ['topic%2Fx%2Fa.txt', 'two'],
    [`${first}/a.txt`, 'one'],
    [`a.txt?ref=${first.slice(0, 8)}`, 'one'],
    ['HEAD/a.txt', 'two'],
    ['a.txt?ref=HEAD', 'two'],
    ['a.txt?ref=refs/tags/v1', 'one'],
    ['a.txt?ref=refs/heads/topic/x', 'two'],
    ['a.txt?ref=refs/heads/v1', 404],
    ['a.txt?ref=refs/tags/topic/x', 404],
    ['a.txt?ref=refs/heads/', 404],
    [`a.txt?ref=refs/heads/${first}`, 404],
    ['a.txt?ref=none', 404],
    ['none/a.txt', 404],
    [`${'0'.repeat(40)}/a.txt`, 404],
    ['docs', 404],
    ['main', 404],
    ['a%2F..%2Fa.txt', 400],
    ['.git%2Fconfig', 400],
    ['a%00.txt', 400],
    ['x'.repeat(4097), 400],
  ] as const) {
    assert.equal(await textOf('files', path), text, path.slice(0, 50))
  }
  const media = await ask(MEDIA, 'files', 'a.txt', { query: { ref: 'v1' } })
  assert.deepEqual([media.status, media.headers.get('content-length')], [200, '3'])
})

test(`${RAW} sends type, ETag and time, and 304 to a client that has the file`, async () => {
  const answer = await ask(RAW, 'files', 'a.txt', { query: { ref: 'v1' } })
  const etag = answer.headers.get('etag')
  assert.equal(etag, `"${await repo.git('rev-parse', 'v1:a.txt')}"`)
  assert.equal(
    Date.parse(answer.headers.get('last-modified') ?? ''),
    1000 * Number(await repo.git('log', '-1', '--format=%ct', first)),
  )
  for (const [path, type, disposition] of [
    ['a.txt', 'text/plain; charset=utf-8', null],
    ['page', 'text/plain; charset=utf-8', null],
    ['docs/b.png', 'image/png', null],
    ['bytes', 'application/octet-stream', `attachment; filename="bytes"; filename*=UTF-8''bytes`],
    ['empty', 'text/plain; charset=utf-8', null],
  ] as const) {
    const { headers } = await ask(RAW, 'files', path)
    assert.deepEqual(
      [headers.get('content-type'), headers.get('content-disposition'), headers.get('accept-ranges')],
      [type, disposition, 'bytes'],
    )
    assert.match(headers.get('content-security-policy') ?? '', /sandbox/)
  }
  const kept = await ask(RAW, 'files', 'a.txt', {
    query: { ref: 'v1' },
    headers: { 'If-None-Match': etag ?? '' },
  })
  assert.equal(kept.status, 304)
})

test(`${RAW} sends the requested range of small and of large files`, async () => {
  for (const path of ['a.txt', 'long']) {
    const whole = await textOf('files', path)
    assert.ok(typeof whole === 'string')
    for (const [range, start, end] of [
      ['bytes=1-2', 1, 3],
      ['bytes=-1', whole.length - 1, whole.length],
      ['bytes=2-', 2, whole.length],
      ['bytes=0-999999', 0, whole.length],
    ] as const) {
      const answer = await fetch(`${url}/api/v1/repos/ada/files/raw/${path}`, { headers: { Range: range } })
      assert.deepEqual(
        [answer.status, answer.headers.get('content-range'), await answer.text()],
        [206, `bytes ${start}-${end - 1}/${whole.length}`, whole.slice(start, end)],
      )
    }
    const beyond = await ask(RAW, 'files', path, { headers: { Range: `bytes=${whole.length}-` } })
    assert.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, `bytes */${whole.length}`])
    const other = await textOf('files', path, { Range: 'bytes=1-2', 'If-Range': '"other"' })
    assert.equal(other, whole)
    const onPage = await fetch(`${url}/ada/files/raw/branch/main/${path}`, {
      headers: { Range: 'bytes=1-2' },
    })
    assert.deepEqual([onPage.status, await onPage.text()], [206, whole.slice(1, 3)])
  }
})

test(`${RAW} and ${MEDIA} refuse large files, and callers who may not read the code`, async () => {
  const large = await startRepository({ ...app, folder, ada }, 'large')
  assert.equal(await textOf('large', 'a.txt'), 404)
  await large.push({ big: 'x'.repeat(8 * 1024 * 1024 + 1), a: 'a' })
  for (const literal of [RAW, MEDIA]) assert.equal((await ask(literal, 'large', 'big')).status, 422)
  await call('PATCH /api/v1/repos/{owner}/{repo}', {
    as: ada,
    params: { owner: 'ada', repo: 'large' },
    body: { private: true },
  })
  for (const literal of [RAW, MEDIA]) {
    assert.equal((await ask(literal, 'large', 'a')).status, 404)
    assert.equal((await ask(literal, 'large', 'a', { as: eve })).status, 404)
    assert.equal((await ask(literal, 'large', 'a', { as: ada })).status, 200)
  }
})
