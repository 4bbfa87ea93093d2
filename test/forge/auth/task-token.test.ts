import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { BOT_ID, BOT_NAME } from '../../../src/actions/run/bot.ts'
import { Result } from '../../../src/actions/runner/protocol/messages.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { type JobWish, putRun, startRunner } from '../../support/forge/actions.ts'
import { basic, bearer } from '../../support/forge/make.ts'
import { longest } from '../../support/wait.ts'

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: join(folder, 'data') })
const { call, pool, url, make } = app
const ada = await make.person({ name: 'ada' })
const boss = await make.admin({ name: 'boss' })

const run = promisify(execFile)

/** Stock git, without the settings of this machine, and never asking at a terminal. */
async function git(...args: string[]): Promise<{ ok: boolean; output: string }> {
  const config = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', GIT_TERMINAL_PROMPT: '0' }
  const who = {
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b.c',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b.c',
  }
  try {
    const { stdout, stderr } = await run('git', args, {
      env: { ...process.env, ...config, ...who },
      timeout: longest,
    })
    return { ok: true, output: stdout + stderr }
  } catch (error) {
    return { ok: false, output: String(error) }
  }
}

const SHOW = 'GET /api/v1/repos/{owner}/{repo}'
const EDIT = 'PATCH /api/v1/repos/{owner}/{repo}'

let repositories = 0
async function repository(hidden: boolean): Promise<{ id: number; name: string }> {
  const name = `repo${++repositories}`
  const body = { name, private: hidden, auto_init: true }
  const { status, body: made } = await call('POST /api/v1/user/repos', { as: ada, body })
  assert.equal(status, 201)
  return { id: made.id, name }
}

/** A running job of a repository, and its token. */
async function working(at: { id: number }, wish: JobWish = {}) {
  const put = await putRun(pool, at.id, ada.id, [wish])
  const { client } = await startRunner(app, { scope: { owner_id: null, repository_id: at.id } })
  const { task } = await client.fetchTask({})
  const token = task?.secrets.GITHUB_TOKEN
  assert.ok(task && token)
  return {
    token,
    run: put.run,
    end: () => client.updateTask({ state: { id: task.id, result: Result.success } }),
  }
}

/** Clones with a token and pushes a commit; returns which of the two succeeded. */
async function cloneAndPush(name: string, token: string): Promise<[cloned: boolean, pushed: boolean]> {
  const path = join(folder, `clone${Math.random()}`)
  const address = url.replace('://', `://x-access-token:${token}@`)
  const cloned = await git('clone', '-q', `${address}/ada/${name}.git`, path)
  if (!cloned.ok) return [false, false]
  await writeFile(join(path, 'made-by-a-job'), token.slice(0, 3))
  await git('-C', path, 'add', '.')
  await git('-C', path, 'commit', '-qm', 'By a job')
  const pushed = await git('-C', path, 'push', '-q', 'origin', 'HEAD')
  return [true, pushed.ok]
}

test('the token of a job fetches its repository and pushes to it, as the bot, while the job runs', async () => {
  const mine = await repository(true)
  const { token, end } = await working(mine)
  await pool`delete from forge.event`
  assert.deepEqual(await cloneAndPush(mine.name, token), [true, true])
  const senders = await pool<{ sender: string; id: number }[]>`
    select payload -> 'sender' ->> 'login' as sender, (payload -> 'sender' ->> 'id')::bigint as id
    from forge.event`
  assert.deepEqual(
    [...new Set(senders.map(({ sender, id }) => `${sender} ${id}`))],
    [`${BOT_NAME} ${BOT_ID}`],
  )
  await end()
  assert.deepEqual(await cloneAndPush(mine.name, token), [false, false])
})

test('what a workflow does not grant its jobs do not do', async () => {
  const mine = await repository(true)
  const reads = await working(mine, { permissions: { contents: 'read' } })
  assert.deepEqual(await cloneAndPush(mine.name, reads.token), [true, false])
  const nothing = await working(mine, { permissions: { contents: 'none' } })
  assert.deepEqual(await cloneAndPush(mine.name, nothing.token), [false, false])
  const writes = await working(mine, { permissions: { contents: 'write' } })
  await pool`update forge.action_run set is_fork_pr = true where id = ${writes.run}`
  assert.deepEqual(
    await cloneAndPush(mine.name, writes.token),
    [true, false],
    'what comes from a fork never writes',
  )
})

test('the code of a private repository is not for a job that may only read its statuses', async () => {
  const mine = await repository(true)
  const { token } = await working(mine, { permissions: { statuses: 'read' } })
  const reads = await working(mine, { permissions: { contents: 'read' } })
  const { body } = await call('GET /api/v1/repos/{owner}/{repo}/commits/{ref}/statuses', {
    as: bearer(token),
    params: { owner: 'ada', repo: mine.name, ref: 'main' },
  })
  assert.deepEqual(body, [])
  const { output } = await git('ls-remote', `${url.replace('://', `://ada:${ada.token}@`)}/ada/${mine.name}`)
  const commit = output.slice(0, 40)
  const [api, page] = [`/api/v1/repos/ada/${mine.name}`, `/ada/${mine.name}`]
  const statusOf = async (path: string, as: string) =>
    (await fetch(url + path, { headers: { Authorization: `Bearer ${as}` } })).status
  for (const path of [
    api,
    `${api}/languages`,
    `${api}/licenses`,
    `${api}/contents/README.md`,
    `${api}/contents-ext`,
    `${api}/file-contents?body={"files":["README.md"]}`,
    `${api}/raw/README.md`,
    `${api}/archive/main.bundle`,
    `${api}/zipball/main`,
    page,
    `${page}/branches`,
    `${page}/tags`,
    `${page}/commit/${commit}`,
    `${page}/commits/branch/main`,
    `${page}/compare/${commit}...main`,
    `${page}/media/branch/main/README.md`,
    `${page}/raw/branch/main/README.md`,
    `${page}/src/branch/main/README.md`,
    `${page}/info/refs?service=git-upload-pack`,
  ])
    assert.deepEqual([path, await statusOf(path, token), await statusOf(path, reads.token)], [path, 404, 200])
})

test('a job that may write the code commits a patch by API, as the bot, and one that may not does not', async () => {
  const mine = await repository(true)
  const content = '--- /dev/null\n+++ b/made\n@@ -0,0 +1 @@\n+by a job\n'
  const patch = async (contents: 'none' | 'read' | 'write') => {
    const { token } = await working(mine, { permissions: { contents } })
    const params = { owner: 'ada', repo: mine.name }
    return call('POST /api/v1/repos/{owner}/{repo}/diffpatch', {
      as: bearer(token),
      params,
      body: { content },
    })
  }
  assert.equal((await patch('none')).status, 403)
  assert.equal((await patch('read')).status, 403)
  const { status, body } = await patch('write')
  assert.deepEqual([status, body.commit.author.name], [201, 'Gitea Actions'])
})

test(`${SHOW} shows a job its own repository, and others only if they are public`, async () => {
  const [mine, hidden, open] = [await repository(true), await repository(true), await repository(false)]
  const { token, end } = await working(mine)
  const show = (name: string, as = bearer(token)) => call(SHOW, { as, params: { owner: 'ada', repo: name } })
  for (const as of [
    bearer(token),
    basic('anybody', token),
    basic(token, ''),
    basic(token, 'x-oauth-basic'),
  ]) {
    assert.equal((await show(mine.name, as)).body.id, mine.id)
  }
  assert.equal((await show(open.name)).status, 200)
  assert.equal((await show(hidden.name)).status, 404)
  assert.deepEqual(await cloneAndPush(hidden.name, token), [false, false])
  assert.deepEqual(await cloneAndPush(open.name, token), [true, false])
  await end()
  assert.equal((await show(mine.name)).status, 401)
  assert.equal((await show(open.name)).status, 401, 'wrong credentials are never taken for none')
})

test('GET /orgs shows a job public organizations only', async () => {
  const { token } = await working(await repository(true))
  await make.organization(ada, { name: 'for-all' })
  await make.organization(ada, { name: 'for-users', visibility: 'limited' })
  await make.organization(ada, { name: 'for-members', visibility: 'private' })
  const { body } = await call('GET /api/v1/orgs', { as: bearer(token) })
  assert.deepEqual(
    body.map(({ name }: { name: string }) => name),
    ['for-all'],
  )
})

test(`${EDIT} and whatever is not about its repository is not for a job`, async () => {
  const mine = await repository(false)
  const { token } = await working(mine)
  const as = bearer(token)
  assert.equal((await call('GET /api/v1/user', { as })).body.login, BOT_NAME)
  const refused: [literal: string, status: number, call?: object][] = [
    [EDIT, 403, { params: { owner: 'ada', repo: mine.name }, body: { private: true } }],
    ['DELETE /api/v1/repos/{owner}/{repo}', 403, { params: { owner: 'ada', repo: mine.name } }],
    ['POST /api/v1/user/repos', 403, { body: { name: 'x' } }],
    ['POST /api/v1/orgs', 403, { body: { username: 'x' } }],
    ['POST /api/v1/user/keys', 403, { body: { title: 'x', key: 'ssh-rsa x' } }],
    ['GET /api/v1/admin/users', 403],
    ['GET /api/v1/repos/{owner}/{repo}/actions/secrets', 403, { params: { owner: 'ada', repo: mine.name } }],
    [
      'POST /api/v1/repos/{owner}/{repo}/actions/runners/registration-token',
      403,
      { params: { owner: 'ada', repo: mine.name } },
    ],
    [
      'POST /api/v1/users/{username}/tokens',
      403,
      { params: { username: BOT_NAME }, body: { name: 'x', scopes: ['all'] } },
    ],
    ['GET /api/v1/user', 403, { headers: { sudo: 'ada' } }],
  ]
  for (const [literal, status, request] of refused) {
    assert.equal((await call(literal, { as, ...request })).status, status, literal)
  }
  assert.equal((await call('DELETE /api/v1/token', { as })).status, 404)
})

test('the bot cannot become a collaborator, a member of a team or an owner', async () => {
  const { name } = await repository(false)
  const params = { owner: 'ada', repo: name, collaborator: BOT_NAME, username: BOT_NAME }
  const guild = await make.organization(ada)
  const { body: teams } = await call('GET /api/v1/orgs/{org}/teams', { as: ada, params: { org: guild.name } })
  const refused: [literal: string, call: object][] = [
    ['PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', { params, body: {} }],
    ['POST /api/v1/repos/{owner}/{repo}/transfer', { params, body: { new_owner: BOT_NAME } }],
    ['PUT /api/v1/teams/{id}/members/{username}', { params: { ...params, id: teams[0].id } }],
  ]
  for (const [literal, request] of refused) {
    const { status, body } = await call(literal, { as: ada, ...request })
    assert.equal(status, 422, literal)
    assert.match(body.message, /Actions/)
  }
  const shares = await pool`
    select account_id from forge.repository_collaborator where account_id = ${BOT_ID}
    union all select recipient_id from forge.repository_transfer where recipient_id = ${BOT_ID}
    union all select account_id from forge.membership where account_id = ${BOT_ID}`
  assert.equal(shares.length, 0)
})

test('DELETE /api/v1/admin/users/{username} does not delete the bot', async () => {
  for (const query of [{}, { purge: 'true' }]) {
    const { status, body } = await call('DELETE /api/v1/admin/users/{username}', {
      as: boss,
      params: { username: BOT_NAME },
      query,
    })
    assert.equal(status, 422)
    assert.match(body.message, /Actions/)
  }
})
