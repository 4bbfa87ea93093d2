import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { browserOf } from '../../pages/browser.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { startRepository } from '../../support/forge/workflows.ts'

/** A pull request of which git cannot tell, within its limits, what a merge would bring. */

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: join(folder, 'data'), GIT_READ_MEMORY: '64m' })
const { call, make, url } = app
const [ada, eve] = await make.people('ada', 'eve')

const repo = await startRepository({ ...app, folder, ada }, 'busy')
const lines = (one: string, other: string) => `${one}\n${other}\n`.repeat(700_000)
await repo.push({ large: lines('a', 'b'), small: 'one\n' })
const root = await repo.git('rev-parse', 'HEAD')
await repo.push({ large: lines('b', 'a') }, { branch: 'costly' })
await repo.git('reset', '-q', '--hard', root)
for (const branch of ['plain', 'other']) {
  await repo.push({ [branch]: 'new\n' }, { branch })
  await repo.git('reset', '-q', '--hard', root)
}
const propose = async (head: string) => {
  const body = { title: `Take ${head}`, head, base: 'main' }
  const made = await call('POST /api/v1/repos/{owner}/{repo}/pulls', {
    as: ada,
    params: { owner: 'ada', repo: 'busy' },
    body,
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
}
for (const head of ['costly', 'plain', 'other']) await propose(head)
await repo.push({ large: lines('a', 'c') })

const on = (index?: number) => ({ as: ada, params: { owner: 'ada', repo: 'busy', ...(index && { index }) } })
const PULL = 'GET /api/v1/repos/{owner}/{repo}/pulls/{index}'

test('a pull request that takes too much to be merged keeps no other one from being read and merged', async () => {
  for (let round = 0; round < 2; round++) {
    const list = await call('GET /api/v1/repos/{owner}/{repo}/pulls', on())
    assert.equal(list.status, 200, JSON.stringify(list.body))
    assert.deepEqual(
      list.body.map(({ number, mergeable }: Record<string, unknown>) => [number, mergeable]),
      [
        [3, true],
        [2, true],
        [1, false],
      ],
    )
  }
  const merge = 'POST /api/v1/repos/{owner}/{repo}/pulls/{index}/merge'
  assert.equal((await call(merge, { ...on(2), body: { Do: 'merge' } })).status, 200)
})

test('a pull request that takes too much to be merged can be read, changed and closed, and is not merged', async () => {
  const shown = await call(PULL, on(1))
  assert.deepEqual([shown.status, shown.body.mergeable], [200, false])
  const page = await browserOf(url).page('/ada/busy/pulls/1')
  assert.match(page, /takes more time or memory than git may use here/)
  for (const path of ['files', 'commits'])
    assert.notEqual((await fetch(`${url}/api/v1/repos/ada/busy/pulls/1/${path}`)).status, 500)
  for (const Do of ['merge', 'rebase', 'squash', 'rebase-merge']) {
    const merge = 'POST /api/v1/repos/{owner}/{repo}/pulls/{index}/merge'
    const { status, body, headers } = await call(merge, { ...on(1), body: { Do } })
    assert.deepEqual([status, headers.get('retry-after')], [503, '60'], JSON.stringify(body))
    assert.equal((await call(merge, { ...on(1), as: eve, body: { Do } })).status, 405)
  }
  const change = 'PATCH /api/v1/repos/{owner}/{repo}/pulls/{index}'
  for (const [body, state] of [
    [{ title: 'Take less' }, 'open'],
    [{ state: 'closed' }, 'closed'],
    [{ state: 'open' }, 'open'],
  ] as const) {
    const answer = await call(change, { ...on(1), body })
    assert.deepEqual([answer.status, answer.body.state], [201, state], JSON.stringify(answer.body))
  }
})
