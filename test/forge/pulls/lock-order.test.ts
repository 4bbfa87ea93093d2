import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { onServer } from '../../support/database.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { pullMakers } from '../../support/forge/pulls.ts'
import { untilLocked } from '../../support/wait.ts'

/**
 * Closing an issue locks it, and then its repository, which counts open ones. What publishes a push locks them in the same
 * order; otherwise the database would end one of the two as a deadlock, after a second.
 */

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const { make, pool } = app
const [ada] = await make.people('ada')
const { on, repository, propose } = pullMakers(app, ada)
const skip = onServer ? false : 'the embedded database has one connection'

interface Change {
  what: string
  literal: string
  params?: (index: number) => object
  body?: object
}

const text = { content: '', message: 'Write' }
const changes: readonly Change[] = [
  {
    what: 'a merge',
    literal: 'POST /pulls/{index}/merge',
    params: (index) => ({ index }),
    body: { Do: 'merge' },
  },
  {
    what: 'a push to the head branch',
    literal: 'POST /contents/{filepath...}',
    params: () => ({ filepath: 'more' }),
    body: { ...text, branch: 'topic' },
  },
  {
    what: 'the deletion of the head branch',
    literal: 'DELETE /branches/{branch...}',
    params: () => ({ branch: 'topic' }),
  },
]

for (const { what, literal, params = () => ({}), body } of changes)
  test(`${what} waits for a pull request that is closed at the moment before it locks the repository`, {
    skip,
  }, async () => {
    const repo = await repository()
    const { number: index } = await propose(repo, 'topic')
    let answer: ReturnType<ReturnType<typeof on>> | undefined
    await pool.begin(async (tx) => {
      const [issue] = await tx`
        select issue.id, repository_id
        from forge.issue
        join forge.repository on repository.id = repository_id
        where repository.name = ${repo} and number = ${index}
        for no key update of issue`
      answer = on(repo)(literal, params(index), body && { body })
      await untilLocked(pool, `${what} waits for the pull request`)
      await tx`set local lock_timeout = '1ms'`
      await tx`update forge.repository set open_pulls = open_pulls where id = ${issue?.repository_id}`
    })
    assert.ok(((await answer)?.status ?? 500) < 300)
  })
