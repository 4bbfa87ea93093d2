import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { startRepository } from '../../support/forge/workflows.ts'
import { browserOf, hostile } from '../browser.ts'

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: join(folder, 'data'), GIT_READ_MEMORY: '64m' })
const { url, call, make } = app
const [ada, eve] = [await make.person({ name: 'ada' }), await make.person({ name: 'eve' })]
const repo = await startRepository({ ...app, folder, ada }, 'code')
const { page, statusOf } = browserOf(url)
const home = '/ada/code'
const search = (query: Readonly<Record<string, string>>) =>
  page(`${home}/search?${new URLSearchParams(query)}`)

/** The lines that a page marks: `path:number`. */
const foundIn = (shown: string) =>
  [
    ...shown.matchAll(
      /<span><a href="https:\/\/forgehall\.example\/ada\/code\/src\/(?:branch|tag|commit)\/[^/]+\/([^"]+)\?plain=1#L(\d+)"[^>]*>\d+<\/a>.*<mark>/g,
    ),
  ].map(([, path = '', number]) => `${decodeURIComponent(path)}:${number}`)

await repo.push({
  'docs/a.md': 'one\nThe Beacon shines\nthree\nfour\nfive\nsix\nbeacon\n',
  'src/-e': 'beacon -e --open-files-in-pager\n',
  'src/line\nfeed': 'beacon\n',
  'src/<b>.txt': `${hostile.join('\n')}\n`,
  'src/regular.txt': 'a.c\nabc\n(a|a)*$\n',
  'wide.txt': `${'x'.repeat(5000)}beacon${'y'.repeat(5000)}\n`,
  'picture.bin': 'beacon\0',
})
await repo.git('push', '-q', 'origin', 'HEAD:refs/tags/v1')
await repo.push({ 'docs/a.md': null, 'new.md': 'BEACON\n' })

test('GET /{owner}/{repo}/search finds a text as it stands, whatever its case, with the lines beside', async () => {
  const shown = await search({ q: 'beacon' })
  assert.deepEqual(foundIn(shown).sort(), ['new.md:1', 'src/-e:1', 'src/line\nfeed:1', 'wide.txt:1'])
  assert.ok(shown.length < 20_000, `${shown.length}`)
  assert.deepEqual(foundIn(await search({ q: 'BEACON', case: 'on' })), ['new.md:1'])
  assert.deepEqual(foundIn(await search({ q: 'a.c' })), ['src/regular.txt:1'])
  assert.deepEqual(foundIn(await search({ q: '(a|a)*$' })), ['src/regular.txt:3'])
  const old = await search({ q: 'beacon', place: 'tag/v1/docs' })
  assert.deepEqual(foundIn(old), ['docs/a.md:2', 'docs/a.md:7'])
  for (const beside of ['one', 'three', 'six']) assert.match(old, new RegExp(`</a>${beside}\n`), beside)
  assert.doesNotMatch(old, /<\/a>four\n/)
})

test('GET /{owner}/{repo}/search takes options, markup and commands for texts', async () => {
  for (const q of ['-e --open', '--open-files-in-pager', ...hostile]) {
    const shown = await search({ q })
    assert.ok(foundIn(shown).length > 0, q)
  }
  for (const q of [
    '-x',
    '--all',
    '--help',
    '-f/etc/passwd',
    "';$(touch x)`",
    '\\',
    '[',
    '(((',
    'é'.repeat(99),
    '**',
    ':(glob)*',
  ])
    assert.match(await search({ q }), /No file has this text/, q)
})

test('GET /{owner}/{repo}/search says what is no text for it, and 404 of what is not there', async () => {
  assert.doesNotMatch(await search({ q: '' }), /class="results"/)
  for (const q of ['a\nb', 'a\r\nb', 'x'.repeat(201)])
    assert.match(await search({ q }), /too long, or has more than one line/)
  assert.match(await search({ q: 'BEA\0CON' }), /No file has this text/)
  for (const place of [
    'branch/none',
    'branch',
    'main',
    'tag/v1/none',
    'branch/--all',
    'commit/main',
    'branch/main/..',
    'branch/main/:(glob)*',
  ])
    assert.equal(await statusOf(`${home}/search?${new URLSearchParams({ q: 'beacon', place })}`), 404, place)
  assert.ok((await statusOf(`${home}/search?q=${'x'.repeat(1_000_000)}`)) >= 400)
})

test('GET /{owner}/{repo}/search shows a bounded part of what is found, page by page', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 45 }, (_, at) => [
      `many/${String(at).padStart(2, '0')}.txt`,
      'needle\n'.repeat(at === 0 ? 200 : 1),
    ]),
  )
  await repo.push(many, { branch: 'many' })
  const place = 'branch/many'
  const first = await search({ q: 'needle', place })
  assert.match(first, />45 files</)
  assert.match(first, /More in this file/)
  assert.match(
    first,
    /href="https:\/\/forgehall\.example\/ada\/code\/search\?q=needle&amp;place=branch%2Fmany&amp;page=2">Next/,
  )
  const third = await search({ q: 'needle', place, page: '3' })
  assert.deepEqual(foundIn(third), [
    'many/40.txt:1',
    'many/41.txt:1',
    'many/42.txt:1',
    'many/43.txt:1',
    'many/44.txt:1',
  ])
  const lines = `${'needle '.repeat(30)}\n`.repeat(6000)
  await repo.push({ 'long.txt': lines }, { branch: 'long' })
  const long = await search({ q: 'needle', place: 'branch/long' })
  assert.match(long, /There are more than this page reads/)
  assert.ok(long.length < 100_000, `${long.length}`)
})

test('GET /{owner}/{repo}/search leaves out the files that do not fit into the memory of git', async () => {
  await writeFile(join(repo.path, 'huge.txt'), Buffer.alloc(66 * 1024 * 1024))
  await repo.git('add', 'huge.txt')
  await repo.git('commit', '-qm', 'huge')
  // Past the server, which would check it for longer than this test is about.
  await repo.git(
    'push',
    '-q',
    join(folder, 'data', 'repositories', 'ada', 'code.git'),
    'HEAD:refs/heads/huge',
  )
  assert.ok(foundIn(await search({ q: 'beacon', place: 'branch/huge' })).includes('new.md:1'))
})

test('pages of the code have a field that searches there', async () => {
  for (const path of ['', '/src/branch/main', '/src/tag/v1/docs']) {
    const form = /<form class="search-row".*?<\/form>/s.exec(await page(home + path))?.[0] ?? ''
    assert.match(form, /action="https:\/\/forgehall\.example\/ada\/code\/search"/)
    const named = path === '' ? 'branch/main' : path.slice('/src/'.length)
    assert.ok(form.includes(`name="place" value="${named}"`), form)
  }
})

test('searches, file lists and blame of an empty repository say so, and are for its readers', async () => {
  await call('POST /api/v1/user/repos', { as: ada, body: { name: 'void', private: true } })
  const headers = { authorization: ada.authorization }
  assert.match(await page('/ada/void/search?q=x', headers), /Nothing has been pushed yet/)
  await page('/ada/void', headers)
  for (const path of [
    'find/branch/main',
    'commits/branch/main/search?q=x',
    'blame/branch/main/x',
    'search?q=x&place=branch/main',
  ])
    assert.equal(await statusOf(`/ada/void/${path}`, headers), 404, path)
  await call('PATCH /api/v1/repos/{owner}/{repo}', {
    as: ada,
    params: { owner: 'ada', repo: 'code' },
    body: { private: true },
  })
  for (const path of ['search?q=x', 'find/branch/main', 'commits/branch/main/search?q=a']) {
    assert.equal(await statusOf(`${home}/${path}`), 404, path)
    assert.equal(await statusOf(`${home}/${path}`, { authorization: eve.authorization }), 404, path)
    assert.equal(await statusOf(`${home}/${path}`, headers), 200, path)
  }
})
