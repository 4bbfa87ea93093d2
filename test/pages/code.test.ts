import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { temporaryFolder } from '../support/folder.ts'
import { makersFor } from '../support/forge/make.ts'
import { startRepository } from '../support/forge/workflows.ts'
import { until } from '../support/wait.ts'
import { browserOf, hostile } from './browser.ts'

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: join(folder, 'data') })
const { url, call, pool } = app
const make = makersFor(app)
const [ada, eve] = [await make.person({ name: 'ada' }), await make.person({ name: 'eve' })]
const repo = await startRepository({ ...app, folder, ada }, 'code')

const { get, page: pageAt, statusOf } = browserOf(url)
const home = '/ada/code'
const page = (path: string) => pageAt(home + path)
/** A page without the elements in which the tokens of code are. */
const textIn = (shown: string) => shown.replace(/<\/?span[^>]*>/g, '')

/** Names that a file system takes, and that markup and addresses could trip over. */
const names = ['<b>&"\'.txt', 'a b#c?d%2F.txt', '%zz', 'ü—🙂.txt', '..x', 'line\nfeed', 'back\\slash', '${x}']
await mkdir(join(repo.path, 'docs'))
for (const name of names) await writeFile(join(repo.path, 'docs', name), hostile.join('\n'))
await writeFile(join(repo.path, 'blob.bin'), Buffer.from([0, 1, 2, 255]))
await writeFile(
  join(repo.path, 'evil.svg'),
  '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
)
await writeFile(join(repo.path, 'evil.html'), '<script>alert(1)</script>')
await writeFile(join(repo.path, 'big.txt'), 'x\n'.repeat(300_000))
/** 176 kB of code, each line of which has something that is markup. */
const wide = 'export const answer = 42 // of <b> and more\n'.repeat(4000)
await writeFile(join(repo.path, 'wide.txt'), wide)
await writeFile(join(repo.path, 'long.txt'), 'y\n'.repeat(200_000))
const first = await repo.push(
  { 'README.md': hostile.join('\n\n') },
  { message: `${hostile[0]}\n\n${hostile[1]}` },
)
const second = await repo.push(
  { 'README.md': '# Now [docs](docs)\n', 'new.ts': 'const a = 1\n' },
  { message: 'Second' },
)
await repo.git('push', '-q', 'origin', 'HEAD:refs/heads/a/b', `${first}:refs/tags/v1.0`)

test('GET /{owner}/{repo}/src/{kind}/{path...} shows folders and files of branches, tags and commits', async () => {
  const root = await page('/src/branch/main')
  assert.match(root, /href="https:\/\/forgehall\.example\/ada\/code\/src\/branch\/main\/docs">docs<\/a>\//)
  assert.match(root, /<h1[^>]*>Now/)
  for (const path of [
    '/src/branch/a/b/new.ts',
    '/src/commit/HEAD/new.ts',
    `/src/commit/${second}/new.ts`,
    `/src/commit/${second.slice(0, 8)}/new.ts`,
  ])
    assert.match(
      await page(path),
      /<span id="L1"><a href="#L1" tabindex="-1">1<\/a><span class="k">const<\/span> a = <span class="m">1<\/span>/,
    )
  assert.ok(textIn(await page('/src/tag/v1.0/README.md?plain=1')).includes('&lt;script&gt;alert(1)'))
  for (const path of [
    '/src/branch/a',
    '/src/branch/b',
    '/src/branch/main/nothing',
    '/src/branch/main/..%2f..%2fetc',
    '/src/branch/main/docs%2f..',
    '/src/branch/--all',
    '/src/branch/main%5E%7Btree%7D',
    '/src/branch/main@%7B1%7D',
    '/src/branch/refs/heads/main',
    '/src/tag/main',
    '/src/wiki/main',
    '/src/commit/main',
    `/src/commit/${'f'.repeat(40)}`,
    `/src/commit/${second}%0a${first}`,
    '/src/branch/main%00',
  ])
    assert.equal(await statusOf(home + path), 404, path)
})

test('GET /{owner}/{repo}/src/{kind}/{path...} tells which commit changed an entry last, of the ref that is shown', async () => {
  const changeIn = (shown: string, name: string) =>
    new RegExp(
      `>${name}</a>/?</td><td class="what"><a href="[^"]+/commit/([0-9a-f]{40})">([^<]*)</a></td><td><time`,
    )
      .exec(shown)
      ?.slice(1)
  /** A page does not wait long for git: on a busy machine a later page tells it. */
  const changeAt = (path: string, name: string) =>
    until(`${path} tells who changed ${name}`, async () => changeIn(await pageAt(home + path), name))
  assert.deepEqual(await changeAt(`/src/commit/${second}`, 'new.ts'), [second, 'Second'])
  assert.deepEqual(await changeAt(`/src/commit/${second}`, 'docs'), [
    first,
    '&lt;script&gt;alert(1)&lt;/script&gt;',
  ])
  assert.deepEqual((await changeAt('/src/tag/v1.0', 'README.md'))[0], first)
  assert.deepEqual((await changeAt('/src/tag/v1.0/docs', '%zz'))[0], first)
  assert.deepEqual((await changeAt('', 'README.md'))[0], second)
})

test('GET /{owner}/{repo}/src/{kind}/{path...} begins with the commit that changed the folder last', async () => {
  const lineAt = (path: string) =>
    until(`${path} tells who changed it`, async () =>
      /<div class="last-commit"><strong dir="auto">[^<]+<\/strong> <a class="what" href="[^"]+\/commit\/([0-9a-f]{40})">([^<]*)<.*\n.*<time.*>([^<]+)<\/a><\/span>/
        .exec(await pageAt(home + path))
        ?.slice(1),
    )
  const subject = '&lt;script&gt;alert(1)&lt;/script&gt;'
  assert.deepEqual(await lineAt(''), [second, 'Second', '2 commits'])
  assert.deepEqual(await lineAt('/src/tag/v1.0'), [first, subject, '1 commit'])
  assert.deepEqual(await lineAt('/src/branch/main/docs'), [first, subject, 'History'])
})

test('GET /{owner}/{repo}/src/{kind}/{path...} links every file that an address can name, and shows hostile ones as text', async () => {
  const listed = await page('/src/branch/main/docs')
  const links = [
    ...listed.matchAll(/href="https:\/\/forgehall\.example(\/ada\/code\/src\/branch\/main\/docs\/[^"]+)"/g),
  ]
  assert.equal(links.length, names.length)
  for (const [, path = ''] of links) {
    const shown = await page(path.slice(home.length).replaceAll('&#39;', "'"))
    assert.ok(shown.includes('&lt;script&gt;alert(1)&lt;/script&gt;'), path)
  }
})

test('GET /{owner}/{repo}/src/{kind}/{path...} shows no file that is large or no text, and pictures as pictures', async () => {
  assert.match(await page('/src/branch/main/big.txt'), /too large to be shown/)
  assert.doesNotMatch(await page('/src/branch/main/long.txt'), /id="L1"/)
  assert.match(await page('/src/branch/main/blob.bin'), /This file is no text/)
  const picture = 'src="https://forgehall.example/ada/code/raw/branch/main/evil.svg"'
  assert.ok((await page('/src/branch/main/evil.svg')).includes(picture))
})

test('GET /{owner}/{repo}/src/{kind}/{path...} shows a file of more than 100 kB in little markup, with its anchors', async () => {
  const shown = await page('/src/branch/main/wide.txt')
  assert.ok(shown.includes('<li id=L4000>export const answer = 42 // of &lt;b&gt; and more</ol>'))
  assert.doesNotMatch(shown, /chroma/)
  assert.ok(wide.length > 175_000 && shown.length < 1.5 * wide.length, `${shown.length} of ${wide.length}`)
})

test('GET /{owner}/{repo}/raw/{kind}/{path...} sends files that can run nothing', async () => {
  for (const [file, type] of [
    ['evil.html', 'text/plain; charset=utf-8'],
    ['evil.svg', 'image/svg+xml'],
    ['blob.bin', 'application/octet-stream'],
  ] as const) {
    for (const view of ['raw', 'media']) {
      const response = await get(`${home}/${view}/branch/main/${file}`)
      await response.arrayBuffer()
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), type)
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
      assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none';.* sandbox$/)
      const disposition = response.headers.get('content-disposition') ?? ''
      assert.match(disposition, file === 'blob.bin' ? /^attachment; / : /^inline; /)
      const etag = response.headers.get('etag') ?? ''
      assert.equal(await statusOf(`${home}/${view}/branch/main/${file}`, { 'if-none-match': etag }), 304)
    }
  }
  const whole = await get(`${home}/raw/branch/main/big.txt`)
  assert.equal((await whole.text()).length, 600_000)
  assert.equal(await statusOf(`${home}/raw/branch/main/docs`), 404)
  await writeFile(join(repo.path, 'huge.bin'), Buffer.alloc(9 * 1024 * 1024))
  await repo.push({})
  for (const view of ['raw', 'media'])
    assert.equal(await statusOf(`${home}/${view}/branch/main/huge.bin`), 422)
})

test('GET /{owner}/{repo}/commit/{sha} shows message, statuses and bounded differences', async () => {
  for (const [state, context] of [
    ['success', hostile[0]],
    ['failure', 'lint'],
  ])
    await call('POST /api/v1/repos/{owner}/{repo}/statuses/{sha}', {
      as: ada,
      params: { owner: 'ada', repo: 'code', sha: second },
      body: { state, context, description: hostile[1], target_url: 'https://ci.example/?"><b>' },
    })
  const shown = await page(`/commit/${second}`)
  assert.match(shown, /<h2>Second<\/h2>/)
  assert.match(shown, /<span class="added" data-n=" {10}1">\+const a = 1/)
  assert.match(shown, /<span class="removed" data-n=" {4}1 {6}">-&lt;script&gt;/)
  assert.match(shown, /2 changed files <span[^>]*><span[^>]*>\+2<\/span> <span[^>]*>&minus;11<\/span>/)
  for (const [file, name] of ['README.md', 'new.ts'].entries()) {
    assert.ok(shown.includes(`<a href="#file-${file + 1}">${name}</a>`), name)
    assert.match(
      shown,
      new RegExp(`<details class="card diff-file" id="file-${file + 1}" open>\\n<summary><h3>${name}</h3>`),
    )
  }
  assert.match(shown, /<span class="badge good">success/)
  assert.match(shown, /2 changed files/)
  const initial = await page(`/commit/${first.slice(0, 7)}`)
  assert.match(initial, /<h2>&lt;script&gt;alert\(1\)/)
  assert.match(initial, /<h3>blob\.bin<\/h3>[^\n]*\n[^\n]*\n<p class="empty">This file is no text\.<\/p>/)
  assert.match(initial, /<h3>docs\/back\\slash<\/h3>.*\n.*\n<pre class="diff"/)
  assert.match(initial, /300000 lines differ\. <a href="[^"]+\?only=big\.txt">Show this file alone/)
  assert.match(
    await page(`/commit/${first}?only=big.txt`),
    /300000 lines differ: that is more than a page shows/,
  )
  assert.ok(initial.length < 100_000, `${initial.length}`)
  assert.equal(await statusOf(`${home}/commit/${first}?only=none`), 404)
  for (const sha of ['main', 'f'.repeat(40), second.slice(0, 6), `${second}^`, '-1', 'x'])
    assert.equal(await statusOf(`${home}/commit/${encodeURIComponent(sha)}`), 404, sha)
})

test('GET /{owner}/{repo}/commits/{kind}/{path...} lists commits page by page', async () => {
  const listed = await page(`/commits/commit/${second}`)
  assert.deepEqual(
    [...listed.matchAll(/<h3><a href="[^"]+\/commit\/([0-9a-f]+)"/g)].map(([, id]) => id),
    [second, first],
  )
  assert.match(await page('/commits/branch/main?page=2'), /<p class="card empty">No commits/)
  for (const number of ['0', '-1', 'x', '999999999', '1e9']) await page(`/commits/branch/main?page=${number}`)
  assert.equal(await statusOf(`${home}/commits/branch/none`), 404)
})

test('GET /{owner}/{repo}/commits/{kind}/{path...} lists the commits that change a file or folder', async () => {
  const commitsOf = async (path: string) =>
    [...(await page(`/commits/${path}`)).matchAll(/<h3><a href="[^"]+\/commit\/([0-9a-f]+)"/g)].map(
      ([, id]) => id,
    )
  assert.deepEqual(await commitsOf(`commit/${second}/README.md`), [second, first])
  assert.deepEqual(await commitsOf(`commit/${second}/new.ts`), [second])
  assert.deepEqual(await commitsOf(`commit/${second}/docs`), [first])
  assert.deepEqual(await commitsOf('branch/a/b/docs/a%20b%23c%3Fd%252F.txt'), [first])
  const source = await page('/src/branch/main/new.ts')
  assert.ok(
    source.includes('href="https://forgehall.example/ada/code/commits/branch/main/new.ts">History</a>'),
  )
  for (const path of ['none', '*', ':(glob)*', '..', 'docs/..', '.git/config', 'new.ts/x'])
    assert.equal(await statusOf(`${home}/commits/branch/main/${encodeURIComponent(path)}`), 404, path)
  assert.match(await page('/commits/branch/main/new.ts?page=2'), /<p class="card empty">No commits/)
})

test('pages of the code lead to the same place of other branches and tags', async () => {
  const refsIn = (shown: string) =>
    [
      ...(/<details class="refs"(.*?)<\/details>/s.exec(shown)?.[1]?.matchAll(/<li><a href="([^"]+)"/g) ??
        []),
    ].map(([, address]) => address?.replace('https://forgehall.example/ada/code/', ''))
  assert.deepEqual(refsIn(await page('/src/branch/main/README.md')).sort(), [
    'src/branch/a/b/README.md',
    'src/branch/main/README.md',
    'src/tag/v1.0/README.md',
  ])
  assert.deepEqual(refsIn(await page(`/commits/commit/${second}/docs?find=A`)).sort(), [
    'commits/branch/a/b/docs',
    'commits/branch/main/docs',
  ])
  assert.deepEqual(refsIn(await page('/src/branch/main/new.ts')).sort(), [
    'src/branch/a/b/new.ts',
    'src/branch/main/new.ts',
    'src/tag/v1.0',
  ])
  const none = await page(`/src/branch/main?find=${encodeURIComponent(hostile[0] ?? '')}`)
  assert.match(none, /<details class="refs" open>.*No name has &ldquo;&lt;script&gt;/s)
  assert.deepEqual(refsIn(await pageAt(home)).length, 3)
})

test('GET /{owner}/{repo}/compare/{span...} shows the commits and differences between two commits', async () => {
  const from = (base: string, head: string) => `<h2>From <bdi>${base}</bdi> to <bdi>${head}</bdi>: 1 commit<`
  const [old, young] = [first.slice(0, 10), second.slice(0, 10)]
  for (const [span, heading] of [
    [`${first}...${second}`, from(old, young)],
    [`${first.slice(0, 7)}..${second}`, from(first.slice(0, 7), young)],
    [`v1.0...${second}`, from('v1.0', young)],
    ['v1.0..a/b', from('v1.0', 'a/b')],
    ['v1.0...a/b', from('v1.0', 'a/b')],
  ] as const) {
    const shown = await page(`/compare/${span}`)
    assert.ok(shown.includes(heading), span)
    assert.match(
      shown,
      new RegExp(`<p class="meta">Since .*<code>${old}</code>.* up to .*<code>${young}</code>`),
    )
    assert.match(shown, /<span class="added" data-n=" {10}1">\+const a = 1/)
  }
  for (const span of ['v1.0...HEAD', 'refs/tags/v1.0..refs/heads/main'])
    assert.equal(await statusOf(`${home}/compare/${span}`), 200, span)
  const created = await get(`${home}/compare/${'0'.repeat(40)}...${first}`)
  assert.equal(created.headers.get('location'), `https://forgehall.example/ada/code/commits/commit/${first}`)
  for (const span of [
    'main',
    '...',
    `${first}...`,
    `${first}...none`,
    `${first}...${'0'.repeat(40)}`,
    '--all...main',
  ])
    assert.equal(await statusOf(`${home}/compare/${span}`), 404, span)
})

test('GET /{owner}/{repo}/branches and /tags list the newest refs', async () => {
  const branches = await page('/branches')
  for (const name of ['main', 'a/b']) assert.ok(branches.includes(`/src/branch/${name}">${name}</a>`), name)
  assert.ok((await page('/tags')).includes(`/commit/${first}`))
})

test('GET /api/v1/repos/{owner}/{repo}/languages sums up the files of the default branch by language', async () => {
  const literal = 'GET /api/v1/repos/{owner}/{repo}/languages'
  const input = { params: { owner: 'ada', repo: 'code' } }
  assert.deepEqual((await call(literal, input)).body, { HTML: 25, TypeScript: 12 })
  await make.repository(ada, { name: 'empty' })
  assert.deepEqual((await call(literal, { params: { owner: 'ada', repo: 'empty' } })).body, {})
})

test('pages of the code of a private repository are 404 to others', async () => {
  const paths = [
    '/src/branch/main',
    '/raw/branch/main/new.ts',
    '/media/branch/main/new.ts',
    `/commit/${second}`,
    '/commits/branch/main',
    `/compare/${first}...${second}`,
    '/branches',
    '/tags',
    '/issues',
    '/actions',
    '/actions/workflows/ci.yml/badge.svg',
  ]
  await pool`update forge.repository set is_private = true where name = 'code'`
  for (const path of paths) {
    assert.equal(await statusOf(home + path), 404, path)
    assert.equal(await statusOf(home + path, { authorization: eve.authorization }), 404, path)
    assert.equal(await statusOf(home + path, { authorization: ada.authorization }), 200, path)
  }
  await pool`update forge.repository set is_private = false where name = 'code'`
})

test('an empty repository, and one whose directory is gone, have pages that say so', async () => {
  await call('POST /api/v1/user/repos', { as: ada, body: { name: 'void' } })
  for (const path of ['', '/branches', '/tags', '/issues', '/actions'])
    assert.equal(await statusOf(`/ada/void${path}`), 200, path)
  assert.equal(await statusOf('/ada/void/src/branch/main'), 404)
  await make.repository(ada, { name: 'gone' })
  for (const path of ['/src/branch/main', '/branches', `/commit/${first}`])
    assert.equal(await statusOf(`/ada/gone${path}`), 404, path)
})

test('pages of the code under a former name lead to the same place under the new one', async () => {
  await call('PATCH /api/v1/repos/{owner}/{repo}', {
    as: ada,
    params: { owner: 'ada', repo: 'code' },
    body: { name: 'renamed' },
  })
  for (const path of ['/src/branch/a/b/new.ts?plain=1', '/raw/tag/v1.0/README.md', `/commit/${first}`]) {
    const response = await get(home + path)
    await response.arrayBuffer()
    assert.deepEqual([response.status, response.headers.get('location')], [307, `/ada/renamed${path}`])
  }
})
