import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '../support/folder.ts'
import { samePassword } from '../support/forge/make.ts'
import { startForge, startRepository } from '../support/forge/workflows.ts'
import { clientOk } from '../support/git.ts'
import { until } from '../support/wait.ts'
import { signedIn } from './admin/browser.ts'
import { root } from './browser.ts'

const forge = await startForge()
const { call, url, ada, pool } = forge
const owner = await signedIn(forge, 'ada')
const folder = await temporaryFolder()
const run = promisify(execFile)

/** The lines of a page after a sentence, as somebody copies them. */
async function linesOn(path: string, sentence: string): Promise<string[]> {
  const shown = await owner.page(path)
  const [, text] =
    new RegExp(`<p>${sentence}</p>\\s*<pre[^>]*><code>(.*?)</code></pre>`, 's').exec(shown) ?? []
  assert.ok(text !== undefined, `${path} says how`)
  return entitiesIn(text).split('\n')
}

const entitiesIn = (text: string) =>
  text
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/&(amp|lt|gt);/g, (_, name: string) => ({ amp: '&', lt: '<' })[name] ?? '>')

/** Types lines of a page into a shell; the server of this test stands for the one that they name. */
async function type(lines: readonly string[], cwd: string): Promise<string> {
  const here = Object.assign(new URL(url), { username: 'ada', password: samePassword }).href
  const environment = {
    PATH: process.env.PATH,
    HOME: cwd,
    TOKEN: ada.token,
    GIT_CONFIG_NOSYSTEM: '1',
    ...Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((who) => [
        [`GIT_${who}_NAME`, 'Ada'],
        [`GIT_${who}_EMAIL`, 'ada@example.com'],
      ]),
    ),
  }
  const script = lines
    .filter((line) => !/^(?:tea|npm|act_runner) /.test(line))
    .map((line) => line.replaceAll(root, line.startsWith('git ') ? here : `${url}/`))
  const { stdout } = await run('sh', ['-ec', script.join('\n').replaceAll('curl ', 'curl -sf ')], {
    cwd,
    env: environment,
  })
  return stdout
}

test('the page of an empty repository says how to push a new or an existing one', async () => {
  for (const name of ['new', 'old'])
    await call('POST /api/v1/user/repos', { as: ada, body: { name, default_branch: 'main' } })
  await type(await linesOn('/ada/new', 'Begin with a clone:'), folder)
  assert.match(await owner.page('/ada/new'), /What this is/)
  const work = join(folder, 'old')
  await mkdir(work)
  await clientOk(folder, 'init', '-q', '-b', 'whatever', work)
  await writeFile(join(work, 'README.md'), 'An older one')
  await clientOk(work, 'add', '-A')
  await clientOk(work, 'commit', '-qm', 'one')
  await type(await linesOn('/ada/old', 'Or push what you have:'), work)
  assert.match(await owner.page('/ada/old'), /An older one/)
  await type(await linesOn('/ada/old', 'With git, or with tea after its login:'), join(folder, 'work'))
  assert.equal(await readFile(join(folder, 'work', 'old', 'README.md'), 'utf8'), 'An older one')
})

test('the page of a pull request says how to have its commits', async () => {
  const repo = await startRepository({ ...forge, folder }, 'pulled')
  await repo.push({ 'README.md': 'one' })
  await repo.push({ 'new.txt': 'proposed' }, { branch: 'topic' })
  const body = { title: 'New', head: 'topic', base: 'main' }
  await call('POST /api/v1/repos/{owner}/{repo}/pulls', {
    as: ada,
    params: { owner: 'ada', repo: 'pulled' },
    body,
  })
  await repo.git('switch', '-q', '-c', 'other', 'HEAD~1')
  await type(await linesOn('/ada/pulled/pulls/1', 'In a clone of the repository:'), repo.path)
  assert.equal(await readFile(join(repo.path, 'new.txt'), 'utf8'), 'proposed')
  assert.equal(await repo.git('branch', '--show-current'), 'pull-1')
})

test('the page of a pull request that conflicts says how to solve it', async () => {
  const repo = await startRepository({ ...forge, folder }, 'torn')
  await repo.push({ 'README.md': 'one' })
  await repo.git('switch', '-q', '-c', 'mine')
  await repo.push({ 'README.md': 'mine' }, { branch: 'mine' })
  const body = { title: 'Mine', head: 'mine', base: 'main' }
  const { number } = (
    await call('POST /api/v1/repos/{owner}/{repo}/pulls', {
      as: ada,
      params: { owner: 'ada', repo: 'torn' },
      body,
    })
  ).body
  const page = `/ada/torn/pulls/${number}`
  const sentence = 'Merge it in a clone of the head branch, and push what you have decided:'
  await repo.git('switch', '-q', 'main')
  await repo.git('branch', '-D', 'mine')
  await repo.push({ 'README.md': 'theirs' })
  await until('the conflict is found', async () => (await owner.page(page)).includes('It conflicts with'))
  const [first = '', second = '', ...rest] = await linesOn(page, sentence)
  await type([first, `${second} || true`], repo.path)
  await writeFile(join(repo.path, 'README.md'), 'both')
  await type(rest, repo.path)
  await until('the conflict is solved', async () => (await owner.page(page)).includes('This can be merged'))
  assert.doesNotMatch(await owner.page(page), new RegExp(sentence))
})

test('the page of a commit says how a program reports a status, to who may write', async () => {
  const repo = await startRepository({ ...forge, folder }, 'checked')
  await repo.push({ 'README.md': 'one' })
  const path = `/ada/checked/commit/${await repo.git('rev-parse', 'HEAD')}`
  await type(
    await linesOn(path, 'A program says what it found so, with pending, success, error or failure:'),
    folder,
  )
  assert.match(await owner.page(path), /<h3>build <span class="badge good">success/)
  const shown = await (await fetch(url + path, { headers: { accept: 'text/html' } })).text()
  assert.doesNotMatch(shown, /\$TOKEN/)
})

test('the page of packages says how to publish one, to whom is signed in', async () => {
  await writeFile(join(folder, 'tool.bin'), 'a tool')
  const lines = await linesOn(
    '/ada/-/packages',
    'A file, and where npm publishes packages of this scope, with a token that may write packages:',
  )
  await type(lines, folder)
  assert.match(await owner.page('/ada/-/packages'), /tool 1\.0\.0/)
  assert.deepEqual(lines.slice(1), [
    `npm config set @ada:registry ${root}api/packages/ada/npm/`,
    `npm config set ${root.replace('https:', '')}api/packages/ada/npm/:_authToken "$TOKEN"`,
    'npm publish',
  ])
  const shown = await (await fetch(`${url}/ada/-/packages`, { headers: { accept: 'text/html' } })).text()
  assert.doesNotMatch(shown, /_authToken/)
})

test('the page of a new token says how to use it', async () => {
  const response = await owner.post('/settings/tokens', { action: 'make', name: 'laptop', all: 'on' })
  const shown = await response.text()
  const [, token = ''] = /id="made"[^>]* value="([0-9a-f]{40})"/.exec(shown) ?? []
  assert.ok(shown.includes(`curl -H &#39;Authorization: token ${token}&#39; ${root}api/v1/user\n`), shown)
  const line = `curl -H 'Authorization: token ${token}' ${root}api/v1/user`
  assert.equal(JSON.parse(await type([line], folder)).login, 'ada')
})

test('the pages of runners and of the start of a workflow say how programs do it', async () => {
  const repo = await startRepository({ ...forge, folder }, 'runs')
  await repo.push({
    '.gitea/workflows/a b.yml': 'on: {workflow_dispatch: {}}\njobs: {a: {runs-on: x, steps: [{run: echo}]}}',
  })
  await type(await linesOn('/ada/runs/actions/start/a%20b.yml', 'A program starts it so:'), folder)
  assert.equal((await pool`select id from forge.action_run where workflow_file = 'a b.yml'`).length, 1)
  for (const path of ['/ada/runs/settings/actions/runners', '/settings/actions/runners']) {
    const shown = await (await owner.post(path, { action: 'token' })).text()
    const [, token = ''] = /aria-label="Registration token"><code>(\w+)</.exec(shown) ?? []
    assert.ok(
      shown.includes(`act_runner register --no-interactive --instance ${root} --token ${token}\n`),
      path,
    )
  }
})
