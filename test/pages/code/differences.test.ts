import assert from 'node:assert/strict'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { startRepository } from '../../support/forge/workflows.ts'
import { browserOf } from '../browser.ts'

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: join(folder, 'data') })
const ada = await makersFor(app).person({ name: 'ada' })
const repo = await startRepository({ ...app, folder, ada }, 'code')
const { page } = browserOf(app.url)
const open = (path: string) => page(`/ada/code${path}`)

const lines = (count: number, text = 'line') =>
  Array.from({ length: count }, (_, at) => `${text} ${at + 1}\n`).join('')
const hasSection = (shown: string, name: string, content: RegExp) => {
  const [, section = ''] = shown.split(`<h3>${name}</h3>`)
  assert.match(section.split('</details>')[0] ?? '', content, name)
}

const before = await repo.push({
  'moved.txt': lines(20),
  'same.txt': lines(3),
  'space.txt': 'a b\n',
  'gone.txt': 'x\n',
})
await mkdir(join(repo.path, 'to'))
await rename(join(repo.path, 'moved.txt'), join(repo.path, 'to', 'moved.txt'))
await rename(join(repo.path, 'same.txt'), join(repo.path, 'to', 'same.txt'))
await writeFile(join(repo.path, 'to', 'moved.txt'), lines(20).replace('line 20', 'the last line'))
await writeFile(join(repo.path, 'quote"\\\t.txt'), 'quoted\n')
await writeFile(join(repo.path, 'large.txt'), lines(60_000, 'a line that is long enough'))
await repo.git('rm', '-q', 'gone.txt')
const after = await repo.push({
  'space.txt': 'a  b\n',
  'middle.txt': lines(700),
  'long.txt': lines(1500),
  'empty.txt': '',
})

test('a difference says in words what has no lines, and follows renamed files', async () => {
  for (const path of [`/commit/${after}`, `/compare/${before}...${after}`]) {
    const shown = await open(path)
    hasSection(
      shown,
      'moved.txt &rarr; to/moved.txt',
      /<span class="removed"[^>]*>-line 20\n<\/span><span class="added"/,
    )
    hasSection(shown, 'same.txt &rarr; to/same.txt', /It was renamed, and nothing else\./)
    hasSection(shown, 'quote&#34;\\\t.txt', /\+quoted/)
    hasSection(shown, 'empty.txt', /It is empty\./)
    hasSection(shown, 'gone.txt', /<span class="badge">deleted<\/span>.*-x/s)
    hasSection(shown, 'long.txt', /1500 lines differ\. <a href="[^"]+\?only=long\.txt">/)
    hasSection(shown, 'large.txt', /60000 lines differ\. <a/)
    assert.match(shown, /<details class="card diff-file" id="file-\d+">\n<summary><h3>middle\.txt<\/h3>/)
  }
  const alone = await open(`/commit/${after}?only=long.txt`)
  assert.match(alone, /\+line 1500/)
  assert.equal(alone.split('<h3>').length, 2)
  assert.match(alone, /<a href="[^"?]+">Show all files<\/a>/)
})

test('a difference leaves out changes of white space', async () => {
  const counts = async (whitespace: string) => {
    const shown = await open(`/commit/${after}?whitespace=${whitespace}`)
    return /a b|Only white space differs/.exec(shown.split('<h3>space.txt</h3>')[1] ?? '')?.[0]
  }
  assert.equal(await counts(''), 'a b')
  assert.equal(await counts('ignore-eol'), 'a b')
  assert.equal(await counts('ignore-change'), 'Only white space differs')
  assert.equal(await counts('ignore-all'), 'Only white space differs')
  assert.equal(await counts('all of it'), 'a b')
})

test('a difference of five thousand files is shown page by page', async () => {
  const names = Array.from({ length: 5000 }, (_, at) => `many/${String(at).padStart(4, '0')}.txt`)
  const commit = await repo.push(Object.fromEntries(names.map((name) => [name, `${name}\n`])))
  const first = await open(`/commit/${commit}`)
  assert.match(first, /5000 changed files <span[^>]*><span[^>]*>\+5000/)
  assert.equal(first.split('<h3>').length, 101)
  assert.match(first, /<a href="[^"]+\?page=2">Next/)
  const last = await open(`/commit/${commit}?page=50`)
  assert.match(last, /id="file-5000".*\+many\/4999\.txt/s)
  assert.match(await open(`/commit/${commit}?page=51`), /id="file-5000"/)
})
