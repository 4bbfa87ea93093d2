import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'

const { call, make } = await startApp()
const [ada, eve] = await make.people('ada', 'eve')
await make.repository(ada, { name: 'open' })
await make.repository(ada, { name: 'closed', is_private: true })

for (const literal of ['GET /api/v1/signing-key.gpg', 'GET /api/v1/signing-key.pub'] as const)
  test(`${literal} answers everybody that there is no key`, async () => {
    const { status, body } = await call(literal)
    assert.deepEqual([status, body.message], [404, 'no signing key'])
  })

for (const literal of [
  'GET /api/v1/repos/{owner}/{repo}/signing-key.gpg',
  'GET /api/v1/repos/{owner}/{repo}/signing-key.pub',
] as const)
  test(`${literal} answers callers who may read the repository that there is no key`, async () => {
    const answer = async (repo: string, as = ada) => {
      const { status, body } = await call(literal, { as, params: { owner: 'ada', repo } })
      return [status, body.message]
    }
    assert.deepEqual(await answer('open', eve), [404, 'no signing key'])
    assert.deepEqual(await answer('closed'), [404, 'no signing key'])
    for (const repo of ['closed', 'none']) {
      const [status, message] = await answer(repo, eve)
      assert.equal(status, 404)
      assert.notEqual(message, 'no signing key')
    }
  })
