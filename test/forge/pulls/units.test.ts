import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { pullMakers } from '../../support/forge/pulls.ts'

/** Which units of its teams let an account see, review and merge pull requests of a private repository. */

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const { call, make } = app
const [ada] = await make.people('ada')
const guild = await make.organization(ada, { name: 'guild' })
const { on } = pullMakers(app, ada)

const PULL = '/api/v1/repos/{owner}/{repo}/pulls/{index}'

let made = 0
/** A member of a team that has these units in a repository of its own with a pull request. */
async function member(units: Readonly<Record<string, string>>) {
  const name = `repo${++made}`
  const repo = on(name, 'guild')
  await call('POST /api/v1/orgs/{org}/repos', {
    as: ada,
    params: { org: 'guild' },
    body: { name, auto_init: true, private: true },
  })
  const who = await make.person({ name: `member${made}` })
  const team = await make.team(guild, [who], { units, name: `team${made}` })
  const params = { id: team.id, org: 'guild', repo: name }
  await call('PUT /api/v1/teams/{id}/repos/{org}/{repo}', { as: ada, params })
  const file = { content: Buffer.from('x').toString('base64'), branch: 'main', new_branch: 'topic' }
  await repo('POST /contents/{filepath...}', { filepath: 'a.txt' }, { body: file })
  const opened = await repo('POST /pulls', {}, { body: { head: 'topic', base: 'main', title: 'Add a' } })
  const index = opened.body.number
  const status = async (literal: string, body?: object, as: Somebody = who) =>
    (await repo(literal, { index }, { as, ...(body && { body }) })).status
  return status
}

test(`${PULL} and all below need both units; code alone decides on merges, and pull requests on the rest`, async () => {
  const review = { event: 'APPROVED' }
  const merge = { Do: 'merge' }
  for (const [units, seen, reviewed, edited, updated, merged] of [
    [{ 'repo.code': 'write' }, 404, 404, 404, 404, 404],
    [{ 'repo.pulls': 'write' }, 404, 404, 404, 404, 404],
    [{ 'repo.code': 'read', 'repo.pulls': 'read' }, 200, 200, 403, 403, 405],
    [{ 'repo.code': 'read', 'repo.pulls': 'write' }, 200, 200, 201, 403, 405],
    [{ 'repo.code': 'write', 'repo.pulls': 'read' }, 200, 200, 403, 200, 200],
  ] as const) {
    const status = await member(units)
    assert.deepEqual(
      [
        await status('GET /pulls/{index}'),
        await status('POST /pulls/{index}/reviews', review),
        await status('PATCH /pulls/{index}', { title: 'Add a file' }),
        await status('POST /pulls/{index}/update'),
        await status('POST /pulls/{index}/merge', merge),
      ],
      [seen, reviewed, edited, updated, merged],
      JSON.stringify(units),
    )
    assert.equal(await status('GET /pulls/{index}/merge'), merged === 200 ? 204 : 404)
  }
})
