import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { killedAtEnd, openHome, type Serving, stopBinary } from '../../support/binary.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { basic } from '../../support/forge/make.ts'
import { client, clientOk } from '../../support/git.ts'
import { gitBehind } from '../../support/git-program.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/wait.ts'

/**
 * A git that has all of a push and waits before it, and after it, as long as there is such a file; `die` ends it. Where
 * there is `look`, the next that reads refs takes it away, and waits as long as there is `hold`.
 */
const held = `wait_for() { i=0; while [ -e "$here/$1" ] && [ $i -lt 2000 ]; do sleep 0.02; i=$((i + 1)); done; }
case " $* " in *" receive-pack --stateless-rpc . "*)
  cat > "$here/body"; [ -e "$here/hooked" ] || { : > "$here/begun"; wait_for before; }
  [ -e "$here/die" ] && exit 1
  "$real" "$@" < "$here/body"; status=$?
  : > "$here/moved"; wait_for after; exit $status;;
*" for-each-ref "*) mv "$here/look" "$here/looking" 2>/dev/null && wait_for hold
esac`

const folder = await temporaryFolder()
const home = await openHome()
const environment = {
  ...home.environment,
  PATH: await gitBehind(folder, held),
  ADMIN_USERNAME: 'ada',
  ADMIN_PASSWORD: 'a-password-for-tests',
  WEBHOOK_ALLOWED_HOSTS: 'loopback',
}
const headers = { ...basic('ada', environment.ADMIN_PASSWORD), 'content-type': 'application/json' }
const receiver = await startReceiver()
const mark = (name: string) => writeFile(join(folder, name), '')
const clear = (...names: string[]) =>
  Promise.all(names.map((name) => rm(join(folder, name), { force: true })))
const marked = (name: string) => until(`git says "${name}"`, () => existsSync(join(folder, name)))

const serve = killedAtEnd(environment)

const refsHook = join(home.dataDir, 'git', 'hooks', 'reference-transaction')

/** Makes git wait later: when the server has allowed the refs to move, and they are about to. */
async function holdRefs(): Promise<void> {
  const script = `#!/bin/sh
[ "$1" = prepared ] || exit 0
: > ${folder}/begun
i=0; while [ -e ${folder}/before ] && [ $i -lt 2000 ]; do sleep 0.02; i=$((i + 1)); done`
  await writeFile(refsHook, script, { mode: 0o755 })
  await mark('hooked')
}

/** A server, what it has to be asked for, and a clone of a new repository with a hook. */
async function begin(name: string) {
  const server = await serve()
  const ask = async (target: string, body: object) => {
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const { status } = await fetch(`${server.url}/api/v1${target}`, init)
    assert.equal(status, 201)
  }
  await ask('/user/repos', { name })
  const config = { url: `${receiver.url}/${name}`, content_type: 'json' }
  await ask(`/repos/ada/${name}/hooks`, { type: 'gitea', active: true, events: ['push'], config })
  const work = join(folder, name)
  await mkdir(work)
  await clientOk(work, 'init', '-q')
  return { server, work }
}

async function commit(work: string, message: string): Promise<string> {
  await clientOk(work, 'commit', '-qm', message, '--allow-empty')
  return clientOk(work, 'rev-parse', 'HEAD')
}

function push({ url }: Serving, work: string, name: string, branch = 'main') {
  const address = new URL(`/ada/${name}.git`, url)
  Object.assign(address, { username: 'ada', password: environment.ADMIN_PASSWORD })
  return client(work, 'push', '-q', '--force', address.href, `HEAD:refs/heads/${branch}`)
}

/** Kills the server while git waits at a place; gives how the client took that. */
async function killAt(place: 'before' | 'after', server: Serving, work: string, name: string) {
  await clear('begun', 'moved', 'die')
  await mark(place)
  const pushing = push(server, work, name)
  await marked(place === 'before' ? 'begun' : 'moved')
  server.signal('SIGKILL')
  await server.ended
  return await pushing
}

/** A server that has found what another left, whose git does not end before `hold` is cleared. */
async function leftTo(name: string) {
  const { server, work } = await begin(name)
  const one = await commit(work, 'one')
  await killAt('after', server, work, name)
  await Promise.all([clear('after', 'looking'), mark('look'), mark('hold')])
  const next = await serve()
  await marked('looking')
  return { next, work, one }
}

/** Brings about that somebody looks at the journal. */
async function mend(server: Serving): Promise<Serving> {
  await stopBinary(server)
  return await serve()
}

/** The commits that the hook was told of, in the order in which they were delivered. */
const told = (name: string): string[] =>
  receiver.received.filter(({ target }) => target === `/${name}`).map(({ body }) => JSON.parse(body).after)

/** That the hook is told of these pushes and, as far as one can wait for it, of no others. */
async function holdTold(name: string, commits: readonly string[]): Promise<void> {
  await until(`${commits.length} pushes are told`, () => told(name).length >= commits.length)
  assert.deepEqual(told(name), commits)
}

test('a push whose server is killed before its event is published once, after the next start', async () => {
  const { server, work } = await begin('once')
  const one = await commit(work, 'one')
  const { code } = await killAt('after', server, work, 'once')
  // It has read git's report by then; that the answer does not end makes it a failure.
  assert.notEqual(code, 0)
  await clear('after')
  const next = await mend(await mend(await serve()))
  await holdTold('once', [one])
  const row = await (await fetch(`${next.url}/api/v1/repos/ada/once`, { headers })).json()
  assert.deepEqual([row.empty, row.branch_count], [false, 1])
  const two = await commit(work, 'two')
  assert.equal((await push(next, work, 'once')).code, 0)
  await holdTold('once', [one, two])
  await stopBinary(next)
})

test('a push publishes an earlier unpublished push of the same ref first', async () => {
  const { server, work } = await begin('followed')
  const one = await commit(work, 'one')
  await killAt('after', server, work, 'followed')
  await clear('after')
  const next = await serve()
  const two = await commit(work, 'two')
  assert.equal((await push(next, work, 'followed')).code, 0)
  await holdTold('followed', [one, two])
  const last = await mend(next)
  await holdTold('followed', [one, two])
  await stopBinary(last)
})

test('a push whose server dies before git may move the refs moves none', async () => {
  const { server, work } = await begin('unasked')
  await commit(work, 'one')
  const { code } = await killAt('before', server, work, 'unasked')
  assert.notEqual(code, 0)
  await clear('before')
  await marked('moved')
  const next = await mend(await serve())
  const row = await (await fetch(`${next.url}/api/v1/repos/ada/unasked`, { headers })).json()
  assert.equal(row.empty, true)
  const two = await commit(work, 'two')
  assert.equal((await push(next, work, 'unasked')).code, 0)
  await holdTold('unasked', [two])
  await stopBinary(next)
})

test('a push that git finishes after the server has died is published when it is found', async () => {
  const { server, work } = await begin('late')
  const one = await commit(work, 'one')
  await holdRefs()
  const { code } = await killAt('before', server, work, 'late')
  assert.notEqual(code, 0)
  const next = await mend(await serve())
  assert.deepEqual(told('late'), [])
  await clear('before')
  await marked('moved')
  const last = await mend(next)
  await holdTold('late', [one])
  await stopBinary(last)
  await Promise.all([rm(refsHook), clear('hooked')])
})

test('a push that failed and is repeated is published once', async () => {
  const { server, work } = await begin('again')
  const one = await commit(work, 'one')
  await killAt('before', server, work, 'again')
  await mark('die')
  await clear('before')
  const next = await serve()
  await clear('die', 'moved')
  assert.equal((await push(next, work, 'again')).code, 0)
  const last = await mend(await mend(next))
  const two = await commit(work, 'two')
  assert.equal((await push(last, work, 'again')).code, 0)
  await holdTold('again', [one, two])
  await stopBinary(last)
})

test('recovery runs beside requests, and publishes before later pushes to the repository', async () => {
  const { next, work, one } = await leftTo('beside')
  assert.equal((await fetch(`${next.url}/api/health`)).status, 200)
  assert.deepEqual(told('beside'), [])
  const two = await commit(work, 'two')
  assert.equal((await push(next, work, 'beside', 'side')).code, 0)
  await holdTold('beside', [one, two])
  await clear('hold')
  await stopBinary(next)
  await holdTold('beside', [one, two])
})

test('a recovery that a stop interrupts is continued after the next start', async () => {
  const { next, one } = await leftTo('left')
  const { code } = await stopBinary(next)
  assert.equal(code, 0)
  assert.deepEqual(
    next.lines().filter(({ level }) => level === 'error'),
    [],
  )
  assert.deepEqual(told('left'), [])
  await clear('hold')
  const last = await serve()
  await holdTold('left', [one])
  await stopBinary(last)
})
