import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { usages } from '../../../src/limiter/usage.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { changeOf, changingLiterals, type Stage, stageFor } from '../../support/forge/hostile-changes.ts'
import { hostileRepositories } from '../../support/forge/hostile-repositories.ts'
import { samePassword } from '../../support/forge/make.ts'
import { readingPaths } from '../../support/forge/reading.ts'
import { clientOk } from '../../support/git.ts'
import { numbersOf } from '../../support/oracle/history.ts'
import { routesOfApp } from '../../support/routes.ts'
import { until } from '../../support/wait.ts'

/**
 * Every operation that runs git, on repositories that cost more than they weigh, for clients that read nothing and for
 * clients that leave: others get their answers beside them, and no process takes more memory than it may. The suite takes
 * some of the repositories, always the same, and each operation on one of them. `npm run hostile` takes all operations on all
 * of them; `HOSTILE_SEED=8 npm run test:one -- hostile` takes others.
 */

const { HOSTILE_SEED = 20, HOSTILE_WHOLE } = process.env
const next = numbersOf(Number(HOSTILE_SEED))
/** The items in another order. */
const shuffled = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, at: next() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item)

/** The last test needs the first of them. */
const [first = '', ...more] = Object.keys(hostileRepositories)
const chosen = [first, ...(HOSTILE_WHOLE ? more : shuffled(more).slice(0, 3))]

const folder = await temporaryFolder()
/** Of a process that reads; Node's own processes are not limited. */
const memory = 128
const settings = { DATA_DIR: join(folder, 'data'), GIT_READ_MEMORY: `${memory}m`, GIT_READ_TIMEOUT: '20s' }
const { url, call, make, log } = await startApp(settings)
const ada = await make.admin({ name: 'ada' })
for (const name of ['guild', 'guild-slow', 'guild-left', 'team-slow', 'team-left'])
  await make.organization(ada, { name })

/** Milliseconds in which the answers of the others must come: two seconds on a machine that does nothing else. */
const bound = 15_000

const { hostname, port } = new URL(url)
const open = new Set<Socket>()
after(() => {
  for (const socket of open) socket.destroy()
})

interface Asked {
  method: string
  path: string
  type?: string
  body?: Uint8Array
}

/** Asks as a client with this address, and reads nothing. */
async function ask({ method, path, type, body }: Asked, from: string): Promise<Socket> {
  const socket = connect(Number(port), hostname).pause()
  open.add(socket)
  socket.on('error', () => {}).once('close', () => open.delete(socket))
  await once(socket, 'connect')
  const content = body ? `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n` : ''
  const who = method === 'GET' ? '' : `Authorization: ${ada.authorization}\r\n`
  socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${from}\r\n${who}${content}\r\n`)
  if (body) socket.write(body)
  return socket
}

const reading = (path: string): Asked => ({ method: 'GET', path })

function changing(literal: string, stage: Stage): Asked {
  const { params, body } = changeOf(literal, stage)
  const [method = '', path = ''] = literal.split(' ')
  const values: Readonly<Record<string, string | number>> = {
    owner: stage.owner,
    repo: stage.repo,
    ...params,
  }
  const filled = path.replace(/\{(\w+)(?:\.\.\.)?\}/g, (_, name) => String(values[name]))
  if (!(body instanceof Uint8Array))
    return { method, path: filled, type: 'application/json', body: Buffer.from(JSON.stringify(body)) }
  return { method, path: filled, type: `application/x-${path.split('/').at(-1)}-request`, body }
}

/** The status that a client gets when it reads at last; 0: it gets no answer. */
async function statusOf(socket: Socket): Promise<number> {
  const first: Buffer[] = await socket.take(1).toArray()
  return Number(/^HTTP\/1\.1 (\d+)/.exec(Buffer.concat(first).toString('latin1'))?.[1] ?? 0)
}

/** Memory of the processes of git, in MiB each; by `/proc`. */
async function memoryOfGit(): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const each = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
      if (!environment.includes(`HOME=${settings.DATA_DIR}`)) return []
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
      return [Number(/^VmData:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024]
    }),
  )
  return each.flat()
}

const kinds = ['git-read', 'git-objects', 'git-held', 'git-refs', 'git-text', 'git-transfer', 'git-slow']
const isIdle = () =>
  kinds.every((kind) => (usages.get(kind)?.running ?? 0) + (usages.get(kind)?.waiting ?? 0) === 0)

const small = { owner: 'ada', repo: 'small' }
await call('POST /api/v1/user/repos', { as: ada, body: { name: 'small', auto_init: true } })
let clones = 0

/** What other clients do meanwhile. */
const others: Readonly<Record<string, (headers: Record<string, string>) => Promise<unknown>>> = {
  'a list of refs': (headers) => answered('/ada/small.git/info/refs?service=git-upload-pack', headers),
  'a page': (headers) => answered('/ada/small', headers),
  'a file': (headers) => answered('/api/v1/repos/ada/small/contents/README.md', headers),
  'a health check': (headers) => answered('/api/health', headers),
  'a clone': (headers) => {
    const address = new URL(`/${small.owner}/${small.repo}.git`, url).href
    const header = Object.entries(headers).map(([name, value]) => `http.extraHeader=${name}: ${value}`)
    return clientOk(folder, '-c', header.join(), 'clone', '-q', '--bare', address, `clone-${++clones}`)
  },
}

async function answered(path: string, headers: Record<string, string>): Promise<void> {
  const answer = await fetch(url + path, { headers })
  await answer.arrayBuffer()
  assert.equal(answer.status, 200, path)
}

const reads = shuffled(readingPaths(routesOfApp(), { owner: 'ada', repo: '{repo}' }))
const changes = shuffled(changingLiterals)
assert.ok(reads.length > 100)

/** Those that are asked for on one of the repositories. */
const shareOf = <Item>(items: readonly Item[], repository: number): Item[] =>
  HOSTILE_WHOLE ? [...items] : items.filter((_, at) => at % chosen.length === repository)

/** Repositories of which git cannot read or move everything in time and memory. */
const isCostly = (name: string) => ['bomb', 'message', 'attributes', 'refs'].includes(name)

/** What each changing operation answered to the client that reads slowly, by repository. */
const answers = new Map<string, Map<string, number>>()

for (const [at, name] of chosen.entries()) {
  test(`other clients are served beside what runs git on the repository "${name}"`, async () => {
    const write = hostileRepositories[name] ?? assert.fail(name)
    const source = join(folder, `${name}.git`)
    await clientOk(folder, 'init', '-q', '--bare', '-b', 'main', source)
    await write(source)
    await clientOk(source, 'tag', 'v1', 'main')
    await call('POST /api/v1/user/repos', { as: ada, body: { name, default_branch: 'main' } })
    const address = Object.assign(new URL(`/ada/${name}.git`, url), {
      username: 'ada',
      password: samePassword,
    })
    await clientOk(source, 'push', '-q', address.href, 'base', 'main', 'v1')
    if (name === 'refs') await write(join(settings.DATA_DIR, 'repositories', 'ada', 'refs.git'))
    await call('PATCH /api/v1/repos/{owner}/{repo}', {
      as: ada,
      params: { owner: 'ada', repo: name },
      body: { template: true, has_actions: true },
    })
    const place = { source, address: address.href, repo: name }
    const slowStage = await stageFor({ call }, ada, { ...place, client: 'slow' })
    const leftStage = await stageFor({ call }, ada, { ...place, client: 'left' })

    const paths = shareOf(reads, at).map((path) => reading(path.replace('{repo}', name)))
    const own = shareOf(changes, at)
    const slowChanges = await Promise.all(
      own.map((literal) => ask(changing(literal, slowStage), '192.0.2.1')),
    )
    const slow = await Promise.all(paths.map((asked) => ask(asked, '192.0.2.1')))
    const left = [...paths, ...own.map((literal) => changing(literal, leftStage))]
    const leavers = await Promise.all(left.map((asked) => ask(asked, '192.0.2.2')))
    let most = 0
    // In the second round those who leave have left.
    for (let round = 0; round < 2; round++) {
      for (const [what, act] of Object.entries(others)) {
        const start = performance.now()
        await act({ 'X-Forwarded-For': '192.0.2.3' })
        const took = performance.now() - start
        assert.ok(took < bound, `${what} beside "${name}" took ${took} ms`)
        most = Math.max(most, ...(await memoryOfGit()))
      }
      for (const socket of leavers) socket.destroy()
    }
    // The shell that sets the limit, and libraries, have some memory of their own.
    assert.ok(most <= memory + 16, `${most} MiB`)
    for (const socket of slow) socket.destroy()
    const statuses = await Promise.all(slowChanges.map(statusOf))
    answers.set(name, new Map(own.map((literal, place) => [literal, statuses[place] ?? 0])))
    for (const socket of slowChanges) socket.destroy()
    await until('all work has ended with its clients', isIdle, 60_000)
  })
}

test('each operation that runs git and changes something is in the table', () => {
  const running = routesOfApp()
    .filter(({ method, route }) => method !== 'GET' && route.runsGit)
    .map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual(running.toSorted(), changingLiterals.toSorted())
})

test('each changing operation does its work for a client that reads late, or is refused for what it costs', () => {
  const wrong = [...answers].flatMap(([name, statuses]) =>
    [...statuses]
      .filter(([, status]) => status >= 300 && !(status === 503 && isCostly(name)))
      .map(([literal, status]) => `${literal} ${status} on "${name}"`),
  )
  assert.deepEqual(wrong, [])
})

test('what a repository makes too large is refused with a sentence', async () => {
  const api = '/api/v1/repos/ada/bomb'
  for (const [path, status, sentence] of [
    [`${api}/archive/main.tar.gz`, 422, /more than 2000000 files/],
    [`${api}/zipball/main`, 422, /more than 2000000 files/],
    [`${api}/tarball/main`, 422, /more than 2000000 files/],
    ['/ada/bomb/archive/main.zip', 422, /more than 2000000 files/],
    [`${api}/commits?files=true`, 503, /more memory than git may use/],
    [`${api}/git/commits/main.diff`, 503, /more memory than git may use/],
  ] as const) {
    const answer = await fetch(url + path)
    assert.equal(answer.status, status, path)
    assert.match(await answer.text(), sentence)
    if (status === 503) assert.equal(answer.headers.get('retry-after'), '60')
  }
  // Neither lists what is below the first folder.
  for (const path of ['/bundle/main', '/contents?ref=main'])
    assert.equal((await fetch(url + api + path)).status, 200, path)
})

test('no operation fails for a reason that is not told', () => {
  const failures = log.lines().filter(({ status, level }) => status === 500 || level === 'error')
  assert.deepEqual(failures, [])
})
