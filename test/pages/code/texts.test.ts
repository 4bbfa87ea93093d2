import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { pullMakers } from '../../support/forge/pulls.ts'
import { signedIn } from '../admin/browser.ts'
import { browserOf, root } from '../browser.ts'

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const make = makersFor(app)
const [ada] = await make.people('ada', 'eve')
const makers = pullMakers(app, ada)
const repo = await makers.repository()
const { number } = await makers.propose(repo, 'topic', {})
const { body: pull } = await makers.on(repo)('GET /pulls/{index}', { index: number })
const { get, statusOf } = browserOf(app.url)
const owner = await signedIn(app, 'ada')
const reader = await signedIn(app, 'eve')

async function textAt(path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await get(path, headers)
  assert.equal(response.status, 200, path)
  assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8')
  return response.text()
}

test('GET /{owner}/{repo}/pulls/{index}.diff and .patch are where answers say', async () => {
  assert.match(await textAt(pull.diff_url.replace(root, '/')), /^diff --git /)
  const patch = await textAt(pull.patch_url.replace(root, '/'))
  assert.match(patch, /^From [0-9a-f]{40} .*\nFrom: .*\nDate: /)
  for (const path of ['0', '999', 'x', '1e1'])
    assert.equal(await statusOf(`/ada/${repo}/pulls/${path}.diff`), 404)
})

test('GET /{owner}/{repo}/commit/{sha}.diff and .patch show a commit, which its page links', async () => {
  const path = `/ada/${repo}/commit/${pull.head.sha}`
  assert.match(await textAt(`${path}.diff`), /^diff --git /)
  assert.match(await textAt(`${path}.patch`), new RegExp(`^From ${pull.head.sha} `))
  assert.match(
    await owner.page(path),
    new RegExp(`href="${root}ada/${repo}/commit/${pull.head.sha}\\.patch"`),
  )
  assert.equal(await statusOf(`/ada/${repo}/commit/${'0'.repeat(40)}.diff`), 404)
  for (const kind of ['diff', 'patch']) assert.equal(await statusOf(`/ada/${repo}/commit/a..b.${kind}`), 422)
})

test('texts of a private repository are for its readers, by session', async () => {
  await makers.on(repo)('PATCH ', {}, { body: { private: true } })
  const { cookie } = owner
  for (const path of [`pulls/${number}.diff`, `commit/${pull.head.sha}.patch`]) {
    assert.notEqual(await textAt(`/ada/${repo}/${path}`, { cookie }), '')
    assert.equal(await statusOf(`/ada/${repo}/${path}`), 404)
    assert.equal(await reader.statusOf(`/ada/${repo}/${path}`), 404)
  }
})
