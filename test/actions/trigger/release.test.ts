import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settled, startForge, startRepository } from '../../support/forge/workflows.ts'

const forge = await startForge()
const { pool, call, ada } = forge

const on = (types: string) =>
  `on: {release: {types: ${types}}}\njobs: {a: {runs-on: x, steps: [{run: "echo \${{ github.event.release.tag_name }}"}]}}`

test('a release starts the workflows of its tag that wait for the action, and a draft starts none', async () => {
  const repo = await startRepository(forge, 'released')
  const commit = await repo.push({
    '.gitea/workflows/published.yml': on('[published]'),
    '.gitea/workflows/edited.yml': on('[edited]'),
  })
  const runs = async () => {
    await settled(forge)
    const rows = await pool<{ workflow_file: string; event: string; ref: string; commit_sha: string }[]>`
      select workflow_file, event, ref, commit_sha
      from forge.action_run
      where repository_id = ${repo.id}
      order by number`
    return rows.map((row) => [row.workflow_file, row.event, row.ref, row.commit_sha])
  }
  const params = { owner: 'ada', repo: 'released' }
  const draft = await call('POST /api/v1/repos/{owner}/{repo}/releases', {
    as: ada,
    params,
    body: { tag_name: 'v1', draft: true },
  })
  assert.deepEqual(await runs(), [])
  const change = (body: object) =>
    call('PATCH /api/v1/repos/{owner}/{repo}/releases/{id}', {
      as: ada,
      params: { ...params, id: draft.body.id },
      body,
    })
  await change({ draft: false })
  const published = ['published.yml', 'release', 'refs/tags/v1', commit]
  assert.deepEqual(await runs(), [published])
  await change({ name: 'One' })
  const edited = ['edited.yml', 'release', 'refs/tags/v1', commit]
  assert.deepEqual(await runs(), [published, edited])
  const gone = { as: ada, params: { ...params, id: draft.body.id } }
  assert.equal((await call('DELETE /api/v1/repos/{owner}/{repo}/releases/{id}', gone)).status, 204)
  assert.deepEqual(await runs(), [published, edited])
})
