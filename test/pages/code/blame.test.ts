import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { startRepository } from '../../support/forge/workflows.ts'
import { browserOf, hostile } from '../browser.ts'

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: join(folder, 'data') })
const { url, call, make } = app
const [ada, eve] = [await make.person({ name: 'ada' }), await make.person({ name: 'eve' })]
const repo = await startRepository({ ...app, folder, ada }, 'code')
const { page, statusOf } = browserOf(url)
const home = '/ada/code'
const open = (path: string) => page(`${home}/blame/${path}`)

/** For each row of a page: the commit, the one before which the link next to it leads, and the numbers of its lines. */
const rowsIn = (shown: string) =>
  [...shown.matchAll(/<tr><td class="what"><a href="[^"]+\/commit\/([0-9a-f]+)">.*?<\/tr>/gs)].map(
    ([row, commit]) => ({
      commit,
      before: /blame\/commit\/([0-9a-f]+)\/([^"]+)"/.exec(row)?.slice(1),
      lines: [...row.matchAll(/id="L(\d+)"/g)].map(([, number]) => Number(number)),
    }),
  )

const first = await repo.push(
  { 'a.ts': 'const a = 1\r\nconst b = 2\nconst c = 3\n' },
  { message: hostile[0] ?? '' },
)
const second = await repo.push(
  { 'a.ts': 'const a = 1\r\nconst b = 22\nconst c = 3\n' },
  { message: 'Second' },
)
await repo.git('mv', 'a.ts', 'b.ts')
const third = await repo.push(
  { 'b.ts': 'const a = 1\r\nconst b = 22\nconst c = 3\nconst d = 4' },
  { message: 'Third' },
)

test('GET /{owner}/{repo}/blame/{kind}/{path...} shows the commits of lines, and leads to the file before each', async () => {
  const shown = await open('branch/main/b.ts')
  assert.deepEqual(rowsIn(shown), [
    { commit: first, before: undefined, lines: [1] },
    { commit: second, before: [first, 'a.ts'], lines: [2] },
    { commit: first, before: undefined, lines: [3] },
    { commit: third, before: [second, 'a.ts'], lines: [4] },
  ])
  assert.ok(shown.includes('>&lt;script&gt;alert(1)&lt;/script&gt;</a>'))
  assert.ok(shown.includes('<time datetime="'))
  assert.deepEqual(rowsIn(await open(`commit/${first}/a.ts`)), [
    { commit: first, before: undefined, lines: [1, 2, 3] },
  ])
  const file = await page(`${home}/src/branch/main/b.ts`)
  assert.ok(file.includes('href="https://forgehall.example/ada/code/blame/branch/main/b.ts">Blame</a>'))
})

test('GET /{owner}/{repo}/blame/{kind}/{path...} leaves out the commits of .git-blame-ignore-revs, unless it is asked', async () => {
  const list = `# formats\n${second} # all\n${'f'.repeat(40)}\nnonsense\n--all\n`
  await repo.push({ '.git-blame-ignore-revs': list }, { branch: 'ignoring' })
  const shown = await open('branch/ignoring/b.ts')
  assert.deepEqual(
    rowsIn(shown).map(({ commit }) => commit),
    [first, third],
  )
  assert.match(shown, /Without the commits in .*\?bypass-blame-ignore=true">Show them/)
  const whole = await open('branch/ignoring/b.ts?bypass-blame-ignore=true')
  assert.ok(rowsIn(whole).some(({ commit }) => commit === second))
})

test('GET /{owner}/{repo}/blame/{kind}/{path...} shows odd names and contents, and says what is too much', async () => {
  const names = ['<b>&"\'.txt', 'a b#c?d%2F.txt', ':(glob)x', '-p', 'line\nfeed', 'back\\slash', 'ü—🙂.txt']
  const odd = {
    'empty.txt': '',
    'long.txt': 'x\n'.repeat(10_001),
    'big.txt': 'x'.repeat(600_000),
    'binary.bin': 'a\0b',
    ...Object.fromEntries(names.map((name) => [name, `${hostile.join('\n')}\n`])),
  }
  await repo.push(odd, { branch: 'odd' })
  for (const name of names) {
    const shown = await open(`branch/odd/${encodeURIComponent(name)}`)
    assert.deepEqual(rowsIn(shown).length, 1, name)
    assert.ok(shown.replace(/<\/?span[^>]*>/g, '').includes('&lt;script&gt;alert(1)'), name)
  }
  const sentences = {
    'empty.txt': /This file is empty/,
    'long.txt': /10001 lines: a page shows who wrote 10000.*git blame [0-9a-f]{10} -- long\.txt/s,
    'big.txt': /too large/,
    'binary.bin': /no text/,
  }
  for (const [name, sentence] of Object.entries(sentences))
    assert.match(await open(`branch/odd/${name}`), sentence)
  for (const path of [
    'branch/odd',
    'branch/odd/none',
    'branch/none/b.ts',
    'wiki/main/b.ts',
    'branch/odd/..%2fx',
    'branch/odd/b.ts%00',
  ])
    assert.equal(await statusOf(`${home}/blame/${path}`), 404, path)
})

test('GET /{owner}/{repo}/blame/{kind}/{path...} of a private repository is for those who read it', async () => {
  const change = (isPrivate: boolean) =>
    call('PATCH /api/v1/repos/{owner}/{repo}', {
      as: ada,
      params: { owner: 'ada', repo: 'code' },
      body: { private: isPrivate },
    })
  await change(true)
  const path = `${home}/blame/branch/main/b.ts`
  assert.equal(await statusOf(path), 404)
  assert.equal(await statusOf(path, { authorization: eve.authorization }), 404)
  assert.equal(await statusOf(path, { authorization: ada.authorization }), 200)
  await change(false)
})
