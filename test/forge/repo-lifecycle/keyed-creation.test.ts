import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { until } from '../../support/wait.ts'

/** Repositories that are created with an `Idempotency-Key`, by every operation that creates one. */

const dataDir = await temporaryFolder()
const { call, pool, make, clock } = await startApp({ DATA_DIR: dataDir })
const ada = await make.admin({ name: 'ada' })
await make.organization(ada, { name: 'guild' })
await call('POST /api/v1/user/repos', { as: ada, body: { name: 'model', template: true, auto_init: true } })

const operations = [
  ['POST /api/v1/user/repos', 'ada', {}, {}],
  ['POST /api/v1/admin/users/{username}/repos', 'ada', { username: 'ada' }, {}],
  ['POST /api/v1/orgs/{org}/repos', 'guild', { org: 'guild' }, {}],
  ['POST /api/v1/org/{org}/repos', 'guild', { org: 'guild' }, {}],
  [
    'POST /api/v1/repos/{owner}/{repo}/generate',
    'ada',
    { owner: 'ada', repo: 'model' },
    { owner: 'ada', git_content: true },
  ],
] as const

const repair = () => call('POST /api/v1/admin/cron/{task}', { as: ada, params: { task: 'repair_repos' } })

/** Lets the last transaction of a creation fail while `work` runs. */
async function withoutAudit<Result>(work: () => Promise<Result>): Promise<Result> {
  await pool.unsafe(`
    create function refuse_audit() returns trigger language plpgsql as $$
    begin raise exception 'made up' using errcode = '53100'; end $$;
    create trigger refuse before insert on forge.audit for each row execute function refuse_audit()`)
  try {
    return await work()
  } finally {
    await pool.unsafe('drop trigger refuse on forge.audit; drop function refuse_audit()')
  }
}

for (const [at, [literal, owner, params, given]] of operations.entries()) {
  const create = (name: string, key: string) =>
    call(literal, { as: ada, params, body: { ...given, name }, headers: { 'idempotency-key': key } })
  const show = (repo: string) =>
    call('GET /api/v1/repos/{owner}/{repo}', { as: ada, params: { owner, repo } })
  const directory = (repo: string) => join(dataDir, 'repositories', owner, `${repo}.git`)

  test(`${literal} with a key makes one repository and repeats its answer`, async () => {
    const name = `kept${at}`
    const made = await create(name, 'one')
    assert.equal(made.status, 201)
    const again = await create(name, 'one')
    assert.deepEqual([again.status, again.body], [201, made.body])
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.equal((await create(`other${at}`, 'one')).status, 422)
    assert.equal((await show(`other${at}`)).status, 404)
    assert.equal(existsSync(directory(`other${at}`)), false)
  })

  test(`${literal} with a key reserves no name for ever when its last step fails`, async () => {
    const name = `half${at}`
    assert.equal((await withoutAudit(() => create(name, 'two'))).status, 503)
    assert.ok(existsSync(directory(name)))
    clock.tick(3_600_000)
    assert.equal((await repair()).status, 204)
    await until('the repository is there', async () => (await show(name)).status === 200)
    const removed = await call('DELETE /api/v1/repos/{owner}/{repo}', {
      as: ada,
      params: { owner, repo: name },
    })
    assert.equal(removed.status, 204)
    assert.equal((await create(name, 'two')).status, 201)
  })

  test(`${literal} with a key reserves nothing when its directory cannot be made`, async () => {
    const name = `none${at}`
    const { status } = await call(literal, {
      as: ada,
      params,
      body: { ...given, name, auto_init: true, readme: 'Default', default_branch: '..' },
      headers: { 'idempotency-key': 'three' },
    })
    assert.ok(status >= 400)
    assert.equal((await create(name, 'three')).status, 201)
  })
}
