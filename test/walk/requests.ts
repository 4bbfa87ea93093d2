import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextPass } from 'node:timers/promises'
import { notificationConsumer } from '../../src/forge/watching/events.ts'
import { startApp } from '../support/app.ts'
import { startBackground } from '../support/background.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startRunner } from '../support/forge/actions.ts'
import { settled, startRepository, yardOf } from '../support/forge/workflows.ts'
import { until } from '../support/wait.ts'

/**
 * The program whose requests are walked: `walks.ts` bundles it with functions that say which file they are of, and starts
 * it. It sends its parent a message for each walk: the name of the request, and the files in the order in which they are
 * entered.
 */

/** Files that are entered at any moment: the lock of DATA_DIR renews itself, and a log line may come after its answer. */
const beside = ['src/db/lock.ts', 'src/log.ts']

let entered: string[] | undefined
const enterFile = (file: string) => !beside.includes(file) && entered?.push(file)
Object.assign(globalThis, { enterFile })

/** Walks a request which has been sent before, so that nothing happens for the first time. */
async function walk(name: string, send: () => Promise<unknown>): Promise<void> {
  await send()
  await nextPass()
  entered = []
  const files = entered
  await send()
  entered = undefined
  process.send?.({ name, files })
}

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: join(folder, 'data') })
const { url, make, pool, clock } = app
const [ada, eve] = [await make.admin({ name: 'ada' }), await make.person({ name: 'eve' })]
let sent = 0

/** Sends a request without reading it against its declaration, which would enter files, too. */
async function ask(method: string, path: string, status: number, body?: object, as = ada): Promise<string> {
  const reply = await fetch(url + path, {
    method,
    headers: { authorization: as.authorization, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  assert.equal(reply.status, status, `${method} ${path}: ${text}`)
  return text
}

const repo = await startRepository({ ...app, folder, ada }, 'code')
const workflow = 'on: push\njobs:\n  build:\n    runs-on: self-hosted\n    steps: [{ run: echo }]\n'
await repo.push({ '.gitea/workflows/ci.yml': workflow })

/** Tells ada of an issue. */
async function notify(): Promise<void> {
  const background = startBackground({ pool, clock }, { consumers: [notificationConsumer] })
  await ask('POST', '/api/v1/repos/ada/code/issues', 201, { title: 'an issue' }, eve)
  const list = async () => (await ask('GET', '/api/v1/notifications', 200)) !== '[]'
  await until('ada is notified', list)
  await background.stop()
}

test('requests without background work', async () => {
  await walk('POST /api/news', () => {
    const body = { title: `news ${++sent}`, content: 'text' }
    return ask('POST', '/api/news', 201, body)
  })
  await walk('PATCH /api/v1/admin/users/{username}', () => {
    const body = { source_id: 0, login_name: 'eve', full_name: `Eve ${++sent}` }
    return ask('PATCH', '/api/v1/admin/users/eve', 200, body)
  })
  await notify()
  // Another query each time: an equal one is answered from a cache.
  await walk('GET /api/v1/notifications', () => ask('GET', `/api/v1/notifications?limit=${++sent}`, 200))
  await walk('POST /api/v1/repos/{owner}/{repo}/contents/{filepath}', () => {
    const body = { content: Buffer.from('text').toString('base64') }
    return ask('POST', `/api/v1/repos/ada/code/contents/file-${++sent}.txt`, 201, body)
  })
  await walk('GET /explore/repos', () => ask('GET', '/explore/repos', 200))
})

test('the push whose job is fetched', async () => {
  const background = yardOf(app)
  const runner = await startRunner(app)
  await walk('push to fetched job', async () => {
    await repo.push({ 'README.md': `push ${++sent}` }, { branch: 'pushed' })
    await settled(app)
    const { task } = await runner.client.fetchTask({ tasksVersion: 0n })
    assert.ok(task, 'there is a job')
  })
  await background.stop()
})
