import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { routesOfApp } from '../../support/routes.ts'

/** Operations that run git, with an `Idempotency-Key`: their work is in no transaction, so a mark stands for it meanwhile. */

const { call, pool, make, clock } = await startApp({ DATA_DIR: await temporaryFolder() })
const ada = await make.admin({ name: 'ada' })

const REPO = '/api/v1/repos/{owner}/{repo}'
const content = Buffer.from('text').toString('base64')
const patch =
  'diff --git a/patched b/patched\nnew file mode 100644\n--- /dev/null\n+++ b/patched\n@@ -0,0 +1 @@\n+text\n'

/** A body for each of these operations of a repository, in this order. `sha`: the head of `main`. */
const bodies: Readonly<Record<string, (sha: string) => object>> = {
  [`POST ${REPO}/branches`]: () => ({ new_branch_name: 'topic' }),
  [`POST ${REPO}/contents/{filepath...}`]: () => ({ content, branch: 'topic' }),
  [`POST ${REPO}/contents`]: () => ({ files: [{ operation: 'create', path: 'two', content }] }),
  [`POST ${REPO}/diffpatch`]: () => ({ content: patch }),
  [`POST ${REPO}/tags`]: () => ({ tag_name: 'v1' }),
  [`POST ${REPO}/releases`]: () => ({ tag_name: 'v2' }),
  [`POST ${REPO}/pulls`]: () => ({ title: 'Add a file', head: 'topic', base: 'main' }),
  [`POST ${REPO}/pulls/{index}/merge`]: () => ({ Do: 'merge' }),
  [`POST ${REPO}/statuses/{sha}`]: () => ({ state: 'success', context: 'ci' }),
}

/** Operations that create a whole repository: `repo-lifecycle/keyed-creation.test.ts`. */
const makesRepository = (literal: string) => literal.endsWith('/repos') || literal.endsWith('/generate')

const create = (literal: string, params: Record<string, string>, body: object, key: string) =>
  call(literal, { as: ada, params, body, headers: { 'idempotency-key': key } })

test('the table has all operations that run git and take a key', () => {
  const found = routesOfApp()
    .filter(({ route }) => route.creates && route.runsGit)
    .map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual(
    found.filter((literal) => !makesRepository(literal)).toSorted(),
    Object.keys(bodies).toSorted(),
  )
})

test('each operation that runs git answers once for a key, and again with the same', async () => {
  await call('POST /api/v1/user/repos', { as: ada, body: { name: 'kept', auto_init: true } })
  const head = await call(`GET ${REPO}/branches/{branch...}`, {
    as: ada,
    params: { owner: 'ada', repo: 'kept', branch: 'main' },
  })
  const sha: string = head.body.commit.id
  for (const [literal, bodyFor] of Object.entries(bodies)) {
    const params = { owner: 'ada', repo: 'kept', filepath: 'one', index: '1', sha }
    const made = await create(literal, params, bodyFor(sha), 'one')
    assert.ok(made.status < 300, `${literal}: ${JSON.stringify(made.body)}`)
    const again = await create(literal, params, bodyFor(sha), 'one')
    assert.deepEqual([again.status, again.body], [made.status, made.body], literal)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
  }
})

test('a key whose process has ended is free after a minute, and one that failed at once', async () => {
  await call('POST /api/v1/user/repos', { as: ada, body: { name: 'left', auto_init: true } })
  const commit = (filepath: string) =>
    create(
      `POST ${REPO}/contents/{filepath...}`,
      { owner: 'ada', repo: 'left', filepath },
      { content },
      'two',
    )
  assert.equal((await commit('README.md')).status, 422)
  assert.equal((await commit('new')).status, 201)
  // What `kill -9` leaves between the mark and the answer.
  await pool`update forgehall.idempotency_key set sealed = null, created_at = ${clock.now()}`
  const running = await commit('new')
  assert.deepEqual([running.status, running.headers.get('retry-after')], [409, '1'])
  clock.tick(60_001)
  assert.equal((await commit('new')).status, 422)
})
