import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { flush, packet } from '../../../src/git/http/pkt-line.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { basic, type Somebody, samePassword } from '../../support/forge/make.ts'
import { client, clientOk } from '../../support/git.ts'
import { gitBehind } from '../../support/git-program.ts'
import { hold } from '../../support/raw.ts'
import { until } from '../../support/wait.ts'

/**
 * Requests of git clients that wait while rights are withdrawn or names change: before git starts, because the client
 * holds back its body, and before the refs of a push move, because git is slow.
 */

const folder = await temporaryFolder()
/** A git that, where there is a file `wait`, waits in each clone, and in each push when it has all of it. */
const slow = `case " $* " in *" receive-pack --stateless-rpc . "*)
  [ -e "$here/wait" ] || exec "$real" "$@"
  cat > "$here/body"; : > "$here/begun"
  while [ -e "$here/wait" ]; do sleep 0.02; done
  exec "$real" "$@" < "$here/body";;
*" upload-pack --stateless-rpc "*)
  [ -e "$here/wait" ] && : > "$here/begun"
  while [ -e "$here/wait" ]; do sleep 0.02; done
esac`
const { PATH } = process.env
process.env.PATH = await gitBehind(folder, slow)
const settings = { DATA_DIR: join(folder, 'data'), GIT_START_TIMEOUT: '1s' }
const { call, url, make, pool } = await startApp(settings)
process.env.PATH = PATH
const [ada, bob] = await make.people('ada', 'bob')
let made = 0

/** A private repository of ada's that bob may write to; bob's clone of it has a commit that is not pushed. */
async function scene() {
  const name = `repo${++made}`
  const params = { owner: 'ada', repo: name }
  const body = { name, private: true, auto_init: true }
  assert.equal((await call('POST /api/v1/user/repos', { as: ada, body })).status, 201)
  await call('PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', {
    as: ada,
    params: { ...params, collaborator: 'bob' },
    body: { permission: 'write' },
  })
  const work = join(folder, name)
  await clientOk(folder, 'clone', '-q', addressFor(bob, name), work)
  await clientOk(work, 'commit', '-qm', 'secret', '--allow-empty')
  const head = await clientOk(work, 'rev-parse', 'HEAD')
  const [row] = await pool<[{ id: number }]>`select id from forge.repository where key = ${name}`
  return { name, params, work, head, id: row.id }
}

type Scene = Awaited<ReturnType<typeof scene>>

function addressFor({ name: username }: Somebody, repo: string, owner = 'ada'): string {
  const address = new URL(`/${owner}/${repo}.git`, url)
  return Object.assign(address, { username, password: samePassword }).href
}

/** Starts what git is to be slow in, and waits until git has all of it; `end` lets git go on. */
async function slowly<Result>(start: () => Promise<Result>): Promise<{ end: () => Promise<Result> }> {
  await rm(join(folder, 'begun'), { force: true })
  await writeFile(join(folder, 'wait'), '')
  const underWay = start()
  await until('git has the request', () => existsSync(join(folder, 'begun')))
  return {
    end: async () => {
      await rm(join(folder, 'wait'))
      return underWay
    },
  }
}

/** How rights end or the address changes; `afterwards` is the status of a later request of bob. */
const withdrawals: Record<string, (given: Scene) => Promise<unknown>> = {
  'the collaborator is removed': ({ params }) =>
    call('DELETE /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', {
      as: ada,
      params: { ...params, collaborator: 'bob' },
    }),
  'the account may not sign in': () =>
    pool`update forge.account set prohibit_login = true where id = ${bob.id}`,
  'the repository is deleted, and another one has its name': async ({ params, name }) => {
    await call('DELETE /api/v1/repos/{owner}/{repo}', { as: ada, params })
    await call('POST /api/v1/user/repos', { as: ada, body: { name, auto_init: true } })
    await call('PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', {
      as: ada,
      params: { ...params, collaborator: 'bob' },
      body: { permission: 'write' },
    })
  },
  'the repository is renamed, and another one has its name': async ({ params, name }) => {
    const body = { name: `${name}-new` }
    await call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params, body })
    await call('POST /api/v1/user/repos', { as: ada, body: { name, private: true, auto_init: true } })
  },
}

const restore = () => pool`update forge.account set prohibit_login = false where id = ${bob.id}`

const lsRefs = Buffer.concat([packet('command=ls-refs\n'), Buffer.from('0001'), packet('peel\n'), flush])

/** The refs of all repositories with the name of the scene, old and new. */
async function refsOf({ name }: Scene): Promise<string> {
  const listed = await Promise.all(
    [name, `${name}-new`].map(async (each) => {
      const path = join(settings.DATA_DIR, 'repositories', 'ada', `${each}.git`)
      return existsSync(path) ? clientOk(path, 'for-each-ref') : ''
    }),
  )
  return listed.join('\n')
}

for (const [what, withdraw] of Object.entries(withdrawals)) {
  test(`POST /{owner}/{repo}/git-upload-pack serves nothing after a held body: ${what}`, async () => {
    const given = await scene()
    const held = await hold(url, {
      method: 'POST',
      path: `/ada/${given.name}.git/git-upload-pack`,
      headers: {
        Authorization: basic('bob').authorization,
        'Content-Type': 'application/x-git-upload-pack-request',
        'Git-Protocol': 'version=2',
      },
      body: lsRefs.toString('latin1'),
    })
    await withdraw(given)
    const { status, body } = await held.release()
    await restore()
    assert.ok(status >= 400 || status === 307, `${status}`)
    assert.doesNotMatch(body, /refs\/heads/)
  })

  test(`POST /{owner}/{repo}/git-receive-pack moves nothing when ${what} while git works`, async () => {
    const given = await scene()
    const pushing = await slowly(() => client(given.work, 'push', '-q', 'origin', 'HEAD:refs/heads/stolen'))
    await withdraw(given)
    const { code } = await pushing.end()
    await restore()
    assert.notEqual(code, 0)
    assert.doesNotMatch(await refsOf(given), /stolen/)
    const journal = await pool`select from forge.push_journal where repository_id = ${given.id}`
    assert.equal(journal.length, 0)
  })
}

test('a request of a clone that git serves already completes, and the next one is refused', async () => {
  const given = await scene()
  const listRefs = () =>
    hold(url, {
      method: 'POST',
      path: `/ada/${given.name}.git/git-upload-pack`,
      headers: {
        Authorization: basic('bob').authorization,
        'Content-Type': 'application/x-git-upload-pack-request',
        'Git-Protocol': 'version=2',
      },
      body: lsRefs.toString('latin1'),
    })
  const serving = await slowly(async () => (await listRefs()).release())
  await withdrawals['the collaborator is removed']?.(given)
  const { status, body } = await serving.end()
  assert.equal(status, 200)
  assert.match(body, /refs\/heads\/main/)
  assert.equal((await (await listRefs()).release()).status, 404)
})

test('a refused push prints the reason', async () => {
  const given = await scene()
  const pushing = await slowly(() => client(given.work, 'push', '-q', 'origin', 'HEAD:refs/heads/late'))
  await call('PATCH /api/v1/repos/{owner}/{repo}', {
    as: ada,
    params: given.params,
    body: { archived: true },
  })
  const { code, stderr } = await pushing.end()
  assert.notEqual(code, 0)
  assert.match(stderr, /remote: this repository is archived and can only be read/)
})

test('a request of a git client that never ends is answered after GIT_START_TIMEOUT', async () => {
  const given = await scene()
  for (const [service, start] of [
    ['git-upload-pack', '0014command=ls-refs\n'],
    ['git-receive-pack', '00'],
  ] as const) {
    const held = await hold(url, {
      method: 'POST',
      path: `/ada/${given.name}.git/${service}`,
      headers: {
        Authorization: basic('bob').authorization,
        'Content-Type': `application/x-${service}-request`,
        'Git-Protocol': 'version=2',
        'Content-Length': '100',
      },
      body: start,
    })
    assert.equal((await held.release()).status, 408)
  }
})

test('git push --atomic with a ref that is neither branch, tag nor notes changes nothing', async () => {
  const { work, name } = await scene()
  const { code, stderr } = await client(work, 'push', '--atomic', 'origin', 'HEAD:x1', 'HEAD:refs/pull/x')
  assert.notEqual(code, 0)
  assert.match(stderr, /an atomic push can change branches, tags and notes only/)
  const path = join(settings.DATA_DIR, 'repositories', 'ada', `${name}.git`)
  assert.doesNotMatch(await clientOk(path, 'for-each-ref'), /x1/)
})
