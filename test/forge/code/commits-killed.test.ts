import assert from 'node:assert/strict'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { killedAtEnd, openHome, type Serving, stopBinary } from '../../support/binary.ts'
import { onServer } from '../../support/database.ts'
import { basic } from '../../support/forge/make.ts'
import { client, clientOk } from '../../support/git.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/wait.ts'

/** A server that is killed while it commits leaves whole commits, and nothing else. */

const home = await openHome()
const environment = {
  ...home.environment,
  ADMIN_USERNAME: 'ada',
  ADMIN_PASSWORD: 'a-password-for-tests',
  WEBHOOK_ALLOWED_HOSTS: 'loopback',
}
const headers = { ...basic('ada', environment.ADMIN_PASSWORD), 'content-type': 'application/json' }
const receiver = await startReceiver()
const root = join(home.dataDir, 'repositories')

const serve = killedAtEnd(environment)

async function post({ url }: Serving, target: string, body: object) {
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(`${url}/api/v1${target}`, init)
  return { status: response.status, body: await response.json() }
}

const repos = ['files', 'lists', 'patches']

/** A commit of a new file, in a different way for each repository. */
const write: Readonly<Record<string, (server: Serving, path: string) => ReturnType<typeof post>>> = {
  files: (server, path) =>
    post(server, `/repos/ada/files/contents/${path}`, { content: btoa(path), message: path }),
  lists: (server, path) =>
    post(server, '/repos/ada/lists/contents', {
      message: path,
      files: [1, 2, 3].map((at) => ({ operation: 'create', path: `${path}/${at}`, content: btoa(path) })),
    }),
  patches: (server, path) =>
    post(server, '/repos/ada/patches/diffpatch', {
      message: path,
      content: `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${path}\n`,
    }),
}

/** The commits that were acknowledged, by repository. */
const acknowledged = new Map<string, string[]>(repos.map((name) => [name, []]))
const count = () => [...acknowledged.values()].flat().length

/** Commits one file after another, until the server answers no more. */
async function writeOn(server: Serving, name: string, prefix: string): Promise<void> {
  for (let at = 0; ; at++) {
    const answer = await write[name]?.(server, `${prefix}-${at}`).catch(() => undefined)
    if (!answer) return
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    acknowledged.get(name)?.push(answer.body.commit.sha)
  }
}

/** The commits that a repository has, the oldest first, and that it is whole. */
async function commitsOf(name: string): Promise<string[]> {
  const path = join(root, 'ada', `${name}.git`)
  const { code, stdout, stderr } = await client(path, 'fsck', '--strict', '--full')
  assert.deepEqual([code, `${stdout}${stderr}`.replace(/^dangling .*\n/gm, '')], [0, ''], name)
  return (await clientOk(path, 'rev-list', '--reverse', 'main')).split('\n')
}

/**
 * Names of indexes, locks and quarantines in the folder of the repositories. With a PostgreSQL server another process may
 * be building a repository there, so what is in its temporary folder stays for a day.
 */
async function left(): Promise<string[]> {
  // A folder that is removed meanwhile is read again.
  const all = await readdir(root, { recursive: true }).catch(() => readdir(root, { recursive: true }))
  const isOurs = (name: string) => !onServer || !name.startsWith('.temporary/')
  return all.filter(
    (name) => /\.temporary\/|\/(?:index|tmp_objdir|incoming)[^/]*$|\.lock$/.test(name) && isOurs(name),
  )
}

const told = () => new Set(receiver.received.map(({ body }) => String(JSON.parse(body).after)))

test('POST /api/v1/repos/{owner}/{repo}/contents, with and without a path, and POST …/diffpatch: acknowledged commits survive a kill', async () => {
  let server = await serve()
  for (const name of repos) {
    assert.equal((await post(server, '/user/repos', { name, auto_init: true })).status, 201)
    const config = { url: `${receiver.url}/`, content_type: 'json' }
    await post(server, `/repos/ada/${name}/hooks`, { type: 'gitea', active: true, events: ['push'], config })
  }
  for (const [round, enough] of [6, 13].entries()) {
    const killed = server
    const before = count()
    const writing = repos.map((name) => writeOn(killed, name, `${name}-${round}`))
    await until('some commits are acknowledged', () => count() >= before + enough)
    killed.signal('SIGKILL')
    await Promise.all([...writing, killed.ended])
    // As a patch leaves it that is being applied.
    await mkdir(join(root, '.temporary', 'left.git'), { recursive: true })
    server = await serve()
    await until('nothing temporary is left', async () => (await left()).length === 0)
    for (const name of repos) {
      const there = await commitsOf(name)
      const missing = acknowledged.get(name)?.filter((id) => !there.includes(id))
      assert.deepEqual(missing, [], `${name} after round ${round}`)
    }
  }
  const all = (await Promise.all(repos.map(commitsOf))).flatMap((commits) => commits.slice(1))
  await until('every commit is told', () => all.every((id) => told().has(id)))
  await stopBinary(server)
})
