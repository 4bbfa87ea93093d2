import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { mediaTypeOf } from '../../../src/forge/code/media-type.ts'
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
    ['a.txt', 'text/plain; charset=utf-8', `inline; filename="a.txt"; filename*=UTF-8''a.txt`],
    ['page', 'text/plain; charset=utf-8', `inline; filename="page"; filename*=UTF-8''page`],
    ['docs/b.png', 'image/png', `inline; filename="b.png"; filename*=UTF-8''b.png`],
    ['bytes', 'application/octet-stream', `attachment; filename="bytes"; filename*=UTF-8''bytes`],
    ['empty', 'text/plain; charset=utf-8', `inline; filename="empty"; filename*=UTF-8''empty`],
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

const latin1 = (text: string) => Buffer.from(text, 'latin1')
/** Two sentences in Shift-JIS. */
const japanese = latin1(
  '\x82\xb1\x82\xea\x82\xcd\x93\xfa\x96{\x8c\xea\x82\xcc\x95\xb6\x8f\xcd\x82\xc5\x82\xb7\x81B\x83e\x83X\x83g\x82\xf0\x93\xc7\x82\xf1\x82\xc5\x82\xad\x82\xbe\x82\xb3\x82\xa2\x81B\n',
)
/** Contents by the type with which they are sent; each is shown, and its extension says nothing. */
const contents: readonly (readonly [string, Buffer])[] = [
  ['text/plain; charset=utf-8', Buffer.from('grüße')],
  ['text/plain; charset=utf-8', Buffer.from(`a${'ü'.repeat(5000)}`)],
  ['text/plain; charset=windows-1252', latin1('caf\xe9 \xe0 la cr\xe8me, d\xe9j\xe0 vu, gar\xe7on')],
  ['text/plain; charset=windows-1252', latin1('Stra\xdfe')],
  ['text/plain; charset=shift_jis', japanese],
  ['text/plain; charset=utf-16', Buffer.from('\ufeffgrüße', 'utf16le')],
  ['text/plain; charset=utf-16', Buffer.from('\ufeffgrüße', 'utf16le').swap16()],
  ['image/png', latin1('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')],
  ['image/jpeg', latin1('\xff\xd8\xff\xe0\0\x10JFIF')],
  ['image/gif', latin1('GIF89a\x01\0\x01\0')],
  ['image/webp', latin1('RIFF\x24\0\0\0WEBPVP8 ')],
  ['image/avif', latin1('\0\0\0\x1cftypavif')],
  ['application/pdf', latin1('%PDF-1.7\n%\xe2\xe3\0')],
  ['audio/wav', latin1('RIFF\x24\0\0\0WAVEfmt ')],
  ['audio/flac', latin1('fLaC\0\0\0\x22')],
  ['audio/ogg', latin1('OggS\0\x02')],
  ['audio/mpeg', latin1('ID3\x04\0')],
  ['audio/mp4', latin1('\0\0\0\x20ftypM4A \0')],
  ['video/quicktime', latin1('\0\0\0\x14ftypqt  \0')],
  ['video/mp4', latin1('\0\0\0\x18ftypmp42\0')],
  ['video/webm', latin1('\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\x82\x84webm')],
]

test(`${RAW} finds the type and the charset in the content`, async () => {
  const files = contents.map(([, content], at) => ({
    operation: 'create',
    path: `by-content/${at}`,
    content: content.toString('base64'),
  }))
  const { status } = await call('POST /api/v1/repos/{owner}/{repo}/contents', {
    as: ada,
    params: { owner: 'ada', repo: 'files' },
    body: { files, new_branch: 'types' },
  })
  assert.equal(status, 201)
  for (const [at, [type, content]] of contents.entries()) {
    const place = `${url}/api/v1/repos/ada/files/raw/by-content/${at}?ref=types`
    for (const range of ['bytes=0-', 'bytes=-1']) {
      const { headers } = await fetch(place, { headers: { Range: range } })
      assert.deepEqual([headers.get('content-type'), range], [type, range])
      assert.match(headers.get('content-disposition') ?? '', /^inline; /)
      assert.match(headers.get('content-security-policy') ?? '', /sandbox/)
    }
    assert.deepEqual(Buffer.from(await (await fetch(place)).arrayBuffer()), content)
  }
  for (const [extension, type] of [
    ['pdf', 'application/pdf'],
    ['wav', 'audio/wav'],
    ['flac', 'audio/flac'],
    ['mov', 'video/quicktime'],
    ['m4a', 'audio/mp4'],
  ])
    assert.equal(mediaTypeOf(`a/b.${extension?.toUpperCase()}`), type)
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
