import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { hostile } from '../browser.ts'
import { signedIn } from './browser.ts'

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: folder })
const make = makersFor(app)
const boss = await make.admin({ name: 'boss' })
const { page, done, refused } = await signedIn(app, 'boss')

for (const name of ['one', 'two']) {
  const directory = join(folder, 'repositories', 'boss', `${name}.git`)
  mkdirSync(directory, { recursive: true })
  execFileSync('git', ['init', '-q', '--bare', directory])
}
const newest = async () => (await app.call('GET /api/v1/admin/audit', { as: boss })).body.entries[0]

test('GET /-/admin/unadopted lists directories, under a pattern', async () => {
  assert.match(await page('/-/admin/unadopted'), /2 directories.*boss\/one.*boss\/two/s)
  assert.match(await page('/-/admin/unadopted?query=*%2Fon*'), /1 directory/)
  for (const text of hostile) await page(`/-/admin/unadopted?query=${encodeURIComponent(text)}`)
})

test('POST /-/admin/unadopted/{owner}/{repo}/adopt makes a repository', async () => {
  await done('/-/admin/unadopted/boss/one/adopt')
  const params = { owner: 'boss', repo: 'one' }
  const { body } = await app.call('GET /api/v1/repos/{owner}/{repo}', { as: boss, params })
  assert.equal(body.private, true)
  assert.equal((await newest()).action, 'repository.adopted')
  assert.match(await refused('/-/admin/unadopted/boss/one/adopt'), /Nothing was changed/)
})

test('POST /-/admin/unadopted/{owner}/{repo}/delete deletes a directory after a question', async () => {
  assert.match(await page('/-/admin/unadopted/boss/two/delete'), /Delete boss\/two/)
  assert.match(await done('/-/admin/unadopted/boss/two/delete'), /each directory has a repository/)
  assert.equal((await newest()).action, 'unadopted.deleted')
  assert.match(await refused('/-/admin/unadopted/boss/two/delete'), /Nothing was changed/)
  for (const text of hostile) await page(`/-/admin/unadopted/${encodeURIComponent(text)}/x/delete`)
})
