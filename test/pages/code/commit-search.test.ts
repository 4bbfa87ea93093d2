import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { startRepository } from '../../support/forge/workflows.ts'
import { browserOf, hostile } from '../browser.ts'

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: join(folder, 'data') })
const { url, make } = app
const ada = await make.person({ name: 'ada' })
const repo = await startRepository({ ...app, folder, ada }, 'code')
const { page, statusOf } = browserOf(url)
const address = '/ada/code/commits/branch/main/search'
const search = (q: string, at = address, more = {}) => page(`${at}?${new URLSearchParams({ q, ...more })}`)

/** The first lines of the messages of the commits on a page. */
const subjectsIn = (shown: string) =>
  [...shown.matchAll(/<h3><a href="[^"]+\/commit\/[0-9a-f]+">([^<]*)<\/a>/g)].map(([, subject]) => subject)

/** Makes a commit of somebody at noon of a day. */
async function commit(message: string, day: string, author = 'Ada Lovelace <ada@example.org>') {
  const at = `${day}T12:00:00Z`
  await repo.git('commit', '-q', '--allow-empty', '--author', author, '--date', at, '-m', message)
  return repo.git('rev-parse', 'HEAD')
}

const first = await commit('Light the lamp\n\nIt was dark (very).', '2025-01-10')
await commit('Paint the door', '2025-02-10', 'Eve Moon <eve@example.org>')
await commit('Light the stairs and the door', '2025-03-10', 'Eve Moon <eve@example.org>')
await repo.git('push', '-q', 'origin', 'HEAD:refs/heads/main')

test('GET /{owner}/{repo}/commits/{kind}/{path...}: /search finds commits by words, people and the first digits', async () => {
  assert.deepEqual(subjectsIn(await search('LIGHT')), ['Light the stairs and the door', 'Light the lamp'])
  assert.deepEqual(subjectsIn(await search('door light')), ['Light the stairs and the door'])
  assert.deepEqual(subjectsIn(await search('"the door"')), [
    'Light the stairs and the door',
    'Paint the door',
  ])
  assert.deepEqual(subjectsIn(await search('dark (very)')), ['Light the lamp'])
  assert.deepEqual(subjectsIn(await search('author:"ada love"')), ['Light the lamp'])
  assert.deepEqual(subjectsIn(await search('light author:eve@')), ['Light the stairs and the door'])
  assert.deepEqual(subjectsIn(await search('author:ada author:eve')).length, 3)
  assert.deepEqual(subjectsIn(await search('committer:ada door')).length, 2)
  assert.deepEqual(subjectsIn(await search('committer:moon')), [])
  assert.deepEqual(subjectsIn(await search(first.slice(0, 8))), ['Light the lamp'])
  assert.deepEqual(subjectsIn(await search('light', `/ada/code/commits/commit/${first}/search`)), [
    'Light the lamp',
  ])
  assert.ok(
    (await page('/ada/code/commits/branch/main')).includes(`action="https://forgehall.example${address}"`),
  )
})

test('GET /{owner}/{repo}/commits/{kind}/{path...}: /search finds commits between days', async () => {
  const year = new Date().getUTCFullYear()
  assert.deepEqual(subjectsIn(await search(`after:${year - 1}-01-01 light`)).length, 2)
  assert.deepEqual(subjectsIn(await search('before:1980-01-01')), [])
  assert.deepEqual(subjectsIn(await search(`after:${year + 1}-01-01`)), [])
  for (const q of ['after:yesterday', 'before:2025-13-01', 'after:@0', 'before:'])
    assert.match(await search(q), /Write days as 2026-01-31|No commits/, q)
})

test('GET /{owner}/{repo}/commits/{kind}/{path...}: /search takes options, patterns and markup for texts', async () => {
  for (const q of ['--all', '-p', '.*', 'L.ght', '(a|a)*$', '\\', "';$(touch x)`", ...hostile])
    assert.deepEqual(subjectsIn(await search(q)), [], q)
  for (const q of ['author:--all', 'author:.*', 'committer:^', `author:"${hostile[1]}`])
    assert.deepEqual(subjectsIn(await search(q)), [], q)
  assert.match(await search('x'.repeat(201)), /This search is too long/)
  assert.match(await search('a '.repeat(21)), /This search is too long/)
  assert.match(await search(''), /Write what the commits have/)
  assert.equal(await statusOf('/ada/code/commits/branch/none/search?q=x'), 404)
  assert.equal(await statusOf('/ada/code/commits/branch/main/find?q=x'), 404)
})

test('GET /{owner}/{repo}/commits/{kind}/{path...}: /search lists page by page, and a file of that name has its commits', async () => {
  for (let number = 0; number < 52; number++) await commit(`Step ${number}`, '2025-04-01')
  await repo.push({ search: 'a file' }, { message: 'Add a file' })
  const shown = await search('step')
  assert.equal(subjectsIn(shown).length, 50)
  assert.match(shown, /\/search\?q=step&amp;page=2">Older/)
  assert.deepEqual(subjectsIn(await search('step', address, { page: '2' })), ['Step 1', 'Step 0'])
  assert.deepEqual(subjectsIn(await page(address)), ['Add a file'])
})

test('GET /{owner}/{repo}/commits/{kind}/{path...}: /search finds commits of all branches, if that is chosen', async () => {
  await repo.git('switch', '-q', '-c', 'side')
  const side = await commit('Light the side door', '2025-05-01')
  await repo.git('push', '-q', 'origin', 'HEAD:refs/heads/side', 'HEAD~1:refs/tags/old')
  await repo.git('commit', '-q', '--allow-empty', '-m', 'Light hidden')
  await repo.git('push', '-q', 'origin', 'HEAD:refs/tags/hidden')
  assert.doesNotMatch((await search('light')) ?? '', /side door/)
  for (const all of ['on', 'true']) {
    const shown = await search('light', address, { all })
    assert.deepEqual(subjectsIn(shown), [
      'Light the side door',
      'Light the stairs and the door',
      'Light the lamp',
    ])
    assert.match(shown, /name="all" checked/)
    assert.match(shown, /Commits of all branches that are found/)
  }
  assert.match(await search('light'), /name="all">/)
  assert.deepEqual(
    subjectsIn(await search('light', `/ada/code/commits/commit/${first}/search`, { all: 'on' })).length,
    3,
  )
  assert.match(await search('step', address, { all: 'on' }), /\/search\?q=step&amp;all=on&amp;page=2">Older/)
  for (const q of ['--all', '-p', '.*', '(a|a)*$', ...hostile])
    assert.deepEqual(subjectsIn(await search(q, address, { all: 'on' })), [], q)
  for (const all of ['no', '--branches', ...hostile])
    assert.doesNotMatch(await search('light', address, { all }), /side door/)
  assert.deepEqual(subjectsIn(await search(side.slice(0, 9))), ['Light the side door'])
})
