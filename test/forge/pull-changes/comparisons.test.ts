import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { pullMakers } from '../../support/forge/pulls.ts'

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const { make } = app
const [ada, bob, cyd] = await make.people('ada', 'bob', 'cyd')
const { on, repository } = pullMakers(app, ada)
const forks = pullMakers(app, bob)

const COMPARE = 'GET /compare/{basehead...}'

/** A repository of ada and a fork of bob with another name, whose branch `topic` has two commits more. */
async function forked() {
  const repo = await repository()
  const fork = `${repo}-fork`
  const { status } = await on(repo)('POST /forks', {}, { as: bob, body: { name: fork } })
  assert.equal(status, 202)
  const first = await forks.commit(fork, 'topic', { 'one.txt': 'one\n' }, { isNew: true })
  const second = await forks.commit(fork, 'topic', { 'two.txt': 'two\n' })
  return { repo, fork, commits: [second, first] }
}

test(`${COMPARE} compares a branch with one of a fork, however that is named`, async () => {
  const { repo, fork, commits } = await forked()
  for (const head of ['bob:topic', 'Bob:topic', `bob/${fork}:topic`, `bob:${commits[0]}`])
    for (const dots of ['..', '...']) {
      const { status, body } = await on(repo)(COMPARE, { basehead: `main${dots}${head}` })
      const shas = body.commits?.map(({ sha }: { sha: string }) => sha)
      assert.deepEqual([status, body.total_commits, shas], [200, 2, commits], `${dots}${head}`)
      assert.match(body.commits[0].url, new RegExp(`/repos/bob/${fork}/git/commits/${commits[0]}$`))
    }
  const diff = await fetch(`${app.url}/api/v1/repos/ada/${repo}/compare/main...bob:topic?output=diff`)
  assert.match(await diff.text(), /^\+one$[\s\S]*^\+two$/m)
  const back = await forks.on(fork)(COMPARE, { basehead: 'topic...ada:main' })
  assert.deepEqual([back.status, back.body.total_commits], [200, 0])
})

test(`${COMPARE} knows nothing of a fork that the reader may not see, of another name or of strangers`, async () => {
  const { repo, fork, commits } = await forked()
  const stranger = await forks.repository()
  assert.equal((await forks.on(fork)('PATCH ', {}, { body: { private: true } })).status, 200)
  for (const head of [
    'bob:topic',
    `bob/${fork}:topic`,
    `bob:${commits[0]}`,
    commits[0],
    'bob/absent:topic',
    `bob/${stranger}:main`,
    'nobody:topic',
    'a/b/c:topic',
    ':topic',
  ]) {
    const { status } = await on(repo)(COMPARE, { basehead: `main...${head}` }, { as: cyd })
    assert.equal(status, 404, head)
  }
  const own = await on(repo)(COMPARE, { basehead: 'main...bob:topic' }, { as: bob })
  assert.deepEqual([own.status, own.body.total_commits], [200, 2])
  const missing = await on(repo)(COMPARE, { basehead: 'main...bob:absent' }, { as: bob })
  assert.deepEqual([missing.status, missing.body.message], [404, 'ref "absent" does not exist'])
})

test(`${COMPARE} takes the owner of the repository itself for it`, async () => {
  const repo = await repository()
  const { status, body } = await on(repo)(COMPARE, { basehead: 'main...ada:main' })
  assert.deepEqual([status, body.total_commits], [200, 0])
})
