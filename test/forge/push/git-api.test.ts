import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { flush, packet } from '../../../src/git/http/pkt-line.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { queuedMessages } from '../../support/forge/hook-messages.ts'
import { basic, samePassword } from '../../support/forge/make.ts'
import { longest } from '../../support/wait.ts'

const folder = await temporaryFolder()
const { call, pool, url, make } = await startApp({ DATA_DIR: join(folder, 'data') })
const ada = await make.person({ name: 'ada' })
await make.person({ name: 'eve' })

const run = promisify(execFile)
/** Stock git, without the settings of this machine, and never asking at a terminal. */
const git = async (...args: string[]) => {
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
  }
  try {
    const { stdout, stderr } = await run('git', args, { env, timeout: longest })
    return { ok: true, said: stdout + stderr }
  } catch (error) {
    return { ok: false, said: String(error) }
  }
}
const as = (name: string, password = samePassword) => {
  const address = new URL(url)
  address.username = name
  address.password = password
  return address.href.replace(/\/$/, '')
}
const create = (body: object) => call('POST /api/v1/user/repos', { as: ada, body })
const show = async (repo: string) =>
  (await call('GET /api/v1/repos/{owner}/{repo}', { as: ada, params: { owner: 'ada', repo } })).body
/** What webhooks are told of the queued events, which are removed. */
const events = async () => {
  const messages = await queuedMessages(pool)
  await pool`delete from forge.event`
  return messages.map(({ event, payload }): Record<string, unknown> => ({ kind: event, ...payload }))
}
let clones = 0
const cloned = async (repo: string, who = as('ada')) => {
  const path = join(folder, `clone${++clones}`)
  return { path, ...(await git('clone', '-q', `${who}/ada/${repo}.git`, path)) }
}
const commit = async (path: string, name: string) => {
  await writeFile(join(path, name), name)
  await git('-C', path, 'add', '.')
  assert.ok((await git('-C', path, 'commit', '-qm', `Add ${name}`)).ok)
}

test('a repository is created, cloned, pushed to with events, and deleted with its directory', async () => {
  assert.equal((await create({ name: 'Tool', private: true })).status, 201)
  await events()
  const { path, ok, said } = await cloned('tool')
  assert.ok(ok, said)
  await commit(path, 'a.txt')
  const push = await git('-C', path, 'push', 'origin', 'HEAD:refs/heads/work')
  assert.ok(push.ok, push.said)
  const after = await show('tool')
  assert.deepEqual([after.empty, after.branch_count, after.default_branch], [false, 1, 'work'])
  assert.ok(after.size > 0)
  const [made, pushed, ...others] = await events()
  assert.deepEqual([made?.kind, pushed?.kind, others.length], ['create', 'push', 0])
  const { ref, before, commits, total_commits, compare_url } = pushed ?? {}
  assert.deepEqual([ref, before, total_commits], ['refs/heads/work', '0'.repeat(40), 1])
  assert.equal(compare_url, 'https://forgehall.example/')
  assert.ok(Array.isArray(commits))
  const [told] = commits
  assert.deepEqual([told?.message, told?.added], ['Add a.txt\n', ['a.txt']])

  await git('-C', path, 'tag', 'v1')
  assert.ok((await git('-C', path, 'push', 'origin', 'v1')).ok)
  assert.deepEqual(
    (await events()).map(({ kind }) => kind),
    ['push', 'create'],
  )
  await git('-C', path, 'commit', '--allow-empty', '-m', 'next')
  await git('-C', path, 'tag', '-f', 'v1')
  assert.ok((await git('-C', path, 'push', '-f', 'origin', 'v1')).ok)
  const moved = await events()
  assert.deepEqual([moved.map(({ kind }) => kind), moved[1]?.sha], [['push', 'create'], moved[0]?.after])
  assert.ok((await git('-C', path, 'push', 'origin', ':v1')).ok)
  assert.deepEqual(
    (await events()).map(({ kind }) => kind),
    ['push', 'delete'],
  )
  assert.ok((await git('-C', path, 'push', 'origin', 'HEAD:refs/heads/other')).ok)
  await events()
  assert.ok((await git('-C', path, 'push', 'origin', ':other')).ok)
  assert.deepEqual(
    (await events()).map(({ kind }) => kind),
    ['delete'],
  )

  const again = await cloned('Tool', as(ada.token, 'x-oauth-basic'))
  assert.ok(existsSync(join(again.path, 'a.txt')), again.said)
  const params = { owner: 'ada', repo: 'tool' }
  assert.equal((await call('DELETE /api/v1/repos/{owner}/{repo}', { as: ada, params })).status, 204)
  assert.ok(!existsSync(join(folder, 'data', 'repositories', 'ada', 'tool.git')))
  assert.equal((await cloned('tool')).ok, false)
})

test('everybody may read public repositories; pushing requires write access', async () => {
  await create({ name: 'open', auto_init: true })
  const anonymous = await cloned('open', url)
  assert.ok(anonymous.ok, anonymous.said)
  await commit(anonymous.path, 'b.txt')
  const unsigned = await git('-C', anonymous.path, 'push', 'origin', 'main')
  assert.match(unsigned.said, /could not read Username|Authentication failed/)
  const stranger = await git('-C', anonymous.path, 'push', `${as('eve')}/ada/open.git`, 'main')
  assert.match(stranger.said, /you may not push to this repository|403/)
  assert.ok((await git('-C', anonymous.path, 'push', `${as('ada')}/ada/open.git`, 'main')).ok)
  const readOnly = await make.token(ada, 'read:repository')
  assert.ok((await cloned('open', as(readOnly, 'x-oauth-basic'))).ok)
  const scoped = await git(
    '-C',
    anonymous.path,
    'push',
    `${as(readOnly, 'x-oauth-basic')}/ada/open.git`,
    'main',
  )
  assert.match(scoped.said, /403/)
})

test('an anonymous caller is asked to sign in and does not learn what exists', async () => {
  await create({ name: 'hidden', private: true })
  for (const path of ['/ada/hidden.git', '/ada/nothing.git', '/nobody/x.git']) {
    const response = await fetch(`${url}${path}/info/refs?service=git-upload-pack`)
    assert.equal(response.status, 401)
    assert.match(response.headers.get('www-authenticate') ?? '', /^Basic /)
    const stranger = await fetch(`${url}${path}/info/refs?service=git-upload-pack`, {
      headers: { authorization: basic('eve').authorization },
    })
    assert.equal(stranger.status, 404)
  }
  const wrong = await fetch(`${url}/ada/hidden.git/info/refs?service=git-upload-pack`, {
    headers: basic('ada', 'wrong'),
  })
  assert.equal(wrong.status, 401)
  const dumb = await fetch(`${url}/ada/open.git/info/refs`)
  assert.equal(dumb.status, 403)
  const pack = await fetch(`${url}/ada/hidden.git/git-upload-pack`, { method: 'POST', body: '0000' })
  assert.equal(pack.status, 401)
})

test('an archived repository can be read, and refuses pushes with a message', async () => {
  await create({ name: 'old', auto_init: true })
  const { path } = await cloned('old')
  await commit(path, 'c.txt')
  const params = { owner: 'ada', repo: 'old' }
  await call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params, body: { archived: true } })
  const push = await git('-C', path, 'push', 'origin', 'main')
  assert.equal(push.ok, false)
  assert.match(push.said, /this repository is archived and can only be read/)
  assert.ok((await cloned('old', url)).ok)
})

test('a push of very many refs has an event for each, the first fifty with their commits', async () => {
  await create({ name: 'many', auto_init: true })
  const { path } = await cloned('many')
  for (let tag = 0; tag < 110; tag++) assert.ok((await git('-C', path, 'tag', `t${tag}`)).ok)
  await events()
  const push = await git('-C', path, 'push', '-q', 'origin', '--tags')
  assert.ok(push.ok, push.said)
  const told = await events()
  const pushes = told.filter(({ kind }) => kind === 'push')
  assert.deepEqual([told.length, pushes.length, new Set(pushes.map(({ ref }) => ref)).size], [220, 110, 110])
  assert.equal(pushes.filter(({ head_commit }) => head_commit !== null).length, 50)
})

test('a default branch that is chosen while somebody pushes stays chosen', async () => {
  await create({ name: 'busy', auto_init: true })
  const { path } = await cloned('busy')
  assert.ok((await git('-C', path, 'push', 'origin', 'HEAD:other')).ok)
  const id = (await git('-C', path, 'rev-parse', 'HEAD')).said.trim()
  const command = packet(`${'0'.repeat(40)} ${id} refs/heads/late\0 report-status`)
  const nothing = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
  const body = Buffer.concat([command, flush, nothing, createHash('sha1').update(nothing).digest()])
  const pushing = request(`${url}/ada/busy.git/git-receive-pack`, {
    method: 'POST',
    headers: {
      ...basic('ada'),
      'content-type': 'application/x-git-receive-pack-request',
      'content-length': body.length,
      expect: '100-continue',
    },
  })
  pushing.flushHeaders()
  // By now the server has looked at the repository.
  await once(pushing, 'continue')
  const params = { owner: 'ada', repo: 'busy' }
  await call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params, body: { default_branch: 'other' } })
  const answered = once(pushing, 'response')
  pushing.end(body)
  const [response] = await answered
  response.resume()
  await once(response, 'end')
  const after = await show('busy')
  assert.deepEqual([response.statusCode, after.branch_count, after.default_branch], [200, 3, 'other'])
})

test('the address under a former name leads to the repository', async () => {
  await create({ name: 'was', auto_init: true })
  const params = { owner: 'ada', repo: 'was' }
  await call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params, body: { name: 'is' } })
  const { ok, path, said } = await cloned('was', url)
  assert.ok(ok && existsSync(join(path, 'README.md')), said)
})
