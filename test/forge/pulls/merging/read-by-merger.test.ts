import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { notificationConsumer } from '../../../../src/forge/watching/events.ts'
import { startApp } from '../../../support/app.ts'
import { startBackground } from '../../../support/background.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import type { Somebody } from '../../../support/forge/make.ts'
import { pullMakers } from '../../../support/forge/pulls.ts'
import { until } from '../../../support/wait.ts'

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const { call, pool, clock, make } = app
const background = startBackground({ pool, clock }, { consumers: [notificationConsumer] })
after(() => background.stop())
const [ada, bob, cyd] = await make.people('ada', 'bob', 'cyd')
const { on, repository, admit, propose } = pullMakers(app, ada)

const MERGE = 'POST /api/v1/repos/{owner}/{repo}/pulls/{index}/merge'

/** Titles of what is unread. */
async function unread(as: Somebody): Promise<string[]> {
  const { body } = await call('GET /api/v1/notifications', { as })
  return body.map(({ subject }: { subject: { title: string } }) => subject.title).toSorted()
}

async function told(as: Somebody, titles: readonly string[]): Promise<void> {
  const are = titles.toSorted().join()
  await until(`${as.name} has ${are}`, async () => (await unread(as)).join() === are)
}

test(`${MERGE} marks what is unread about the pull request as read for who merges, and for nobody else`, async () => {
  const repo = await repository()
  for (const each of [bob, cyd]) {
    await admit(repo, each)
    await on(repo)('PUT /subscription', {}, { as: each })
  }
  const [one, two, three] = [
    await propose(repo, 'one', { title: 'One' }),
    await propose(repo, 'two', { title: 'Two' }),
    await propose(repo, 'three', { title: 'Three' }),
  ]
  for (const each of [bob, cyd]) await told(each, ['One', 'Two', 'Three'])
  const merge = async (index: number, body: object) =>
    (await on(repo)('POST /pulls/{index}/merge', { index }, { as: bob, body })).status
  assert.equal(await merge(one.number, { Do: 'squash' }), 200)
  await told(bob, ['Two', 'Three'])

  const settings = { body: { allow_manual_merge: true } }
  assert.equal(
    (
      await call('PATCH /api/v1/repos/{owner}/{repo}', {
        as: ada,
        params: { owner: ada.name, repo },
        ...settings,
      })
    ).status,
    200,
  )
  const { body } = await on(repo)('GET /pulls/{index}', { index: one.number })
  const manual = { Do: 'manually-merged', MergeCommitID: body.merge_commit_sha }
  assert.equal(await merge(two.number, manual), 200)
  await told(bob, ['Three'])

  assert.equal(await merge(three.number, { Do: 'merge', head_commit_id: one.head }), 409)
  assert.deepEqual(await unread(bob), ['Three'])
  assert.deepEqual(await unread(cyd), ['One', 'Three', 'Two'])
})
