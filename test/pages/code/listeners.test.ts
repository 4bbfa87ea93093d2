import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { startRepository } from '../../support/forge/workflows.ts'
import { turns } from '../../support/wait.ts'
import { browserOf } from '../browser.ts'

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: join(folder, 'data') })
const ada = await app.make.person({ name: 'ada' })
const repo = await startRepository({ ...app, folder, ada }, 'code')
const { page } = browserOf(app.url)

test('GET /api/v1/repos/{owner}/{repo}/commits and the page of the code ask git many questions at once, and Node warns of no leak', async () => {
  for (let at = 0; at < 25; at++) {
    await writeFile(join(repo.path, `file-${at}`), `${at}`)
    await repo.git('add', '.')
    await repo.git('commit', '-q', '-m', `Add file ${at}`)
  }
  await repo.git('push', '-q', 'origin', 'HEAD:refs/heads/main')
  const warnings: string[] = []
  const hear = ({ name }: Error) => warnings.push(name)
  process.on('warning', hear)
  await app.call('GET /api/v1/repos/{owner}/{repo}/commits', { params: { owner: 'ada', repo: 'code' } })
  await page('/ada/code')
  await turns()
  process.off('warning', hear)
  assert.deepEqual(warnings, [])
})
