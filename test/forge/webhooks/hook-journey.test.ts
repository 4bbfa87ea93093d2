import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { startBackground } from '../../support/background.ts'
import { openHome, serveBinary, stopBinary } from '../../support/binary.ts'
import { onlyOnce, onServer } from '../../support/database.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { clientOk } from '../../support/git.ts'
import { type Received, startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/wait.ts'

/** A forge as somebody meets it from outside. */
interface Forge {
  url: string
  token: string
  login: string
  /** Below it lie the repositories. */
  dataDir: string
  /** Makes due what waits for ten seconds. */
  wait: () => void | Promise<void>
}

const secret = 'known to both'

/** Asks the API; gives the body, and fails on any other status. */
async function ask({ url, token }: Forge, status: number, target: string, body?: object) {
  const [method, path] = target.split(' ')
  const response = await fetch(`${url}/api/v1${path}`, {
    method: method ?? 'GET',
    headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  assert.equal(response.status, status, `${target}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

/** A receiver that knows the secret can verify the signature. */
function holdSigned({ body, headers }: Received): void {
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  assert.equal(headers['x-gitea-signature'], signature)
  assert.equal(headers['x-hub-signature-256'], `sha256=${signature}`)
}

async function pushCommit({ url, login, token }: Forge, folder: string): Promise<string> {
  const address = new URL(`${login}/engine.git`, `${url}/`)
  address.username = login
  address.password = token
  await clientOk(folder, 'clone', '-q', address.href, 'engine')
  const path = join(folder, 'engine')
  await writeFile(join(path, 'plan.txt'), 'turn the wheels')
  await clientOk(path, 'add', '.')
  await clientOk(path, 'commit', '-qm', 'Turn the wheels')
  await clientOk(path, 'push', '-q', 'origin', 'HEAD:refs/heads/main')
  return clientOk(path, 'rev-parse', 'HEAD')
}

/** From the creation of a repository to its deletion, with a push in between that a receiver gets late. */
async function travel(forge: Forge): Promise<void> {
  let failing = true
  const receiver = await startReceiver((response) => {
    response.writeHead(failing ? 500 : 200).end(failing ? 'not yet' : 'heard')
  })
  const repo = `/repos/${forge.login}/engine`
  await ask(forge, 201, 'POST /user/repos', { name: 'engine' })
  const config = { url: receiver.url, content_type: 'json', secret }
  const wish = { type: 'gitea', active: true, events: ['push'], config }
  const { id } = await ask(forge, 201, `POST ${repo}/hooks`, wish)
  const head = await pushCommit(forge, await temporaryFolder())

  const deliveries = `${repo}/hooks/${id}/deliveries`
  const newest = (what: string, holds: (delivery: Record<string, unknown>) => boolean) => {
    const look = async () => {
      const [delivery] = await ask(forge, 200, `GET ${deliveries}`)
      return delivery && holds(delivery) && delivery
    }
    // Ten seconds of backoff may have to pass by themselves.
    return until(what, look, 60_000)
  }
  const failed = await newest('the first attempt has failed', ({ attempts }) => attempts === 1)
  assert.deepEqual([failed.state, failed.status, failed.event], ['waiting', 500, 'push'])
  failing = false
  await forge.wait()
  const arrived = await newest('the second has not', ({ state }) => state === 'succeeded')
  assert.deepEqual([arrived.id, arrived.uuid, arrived.attempts], [failed.id, failed.uuid, 2])
  const [first, second, ...more] = receiver.received
  assert.ok(first && second && more.length === 0)
  holdSigned(second)
  assert.equal(second.body, first.body)
  assert.equal(second.headers['x-gitea-event'], 'push')
  assert.equal(second.headers['x-gitea-delivery'], arrived.uuid)
  const payload = JSON.parse(second.body)
  assert.deepEqual(
    [payload.ref, payload.after, payload.commits[0].id, payload.commits[0].added],
    ['refs/heads/main', head, head, ['plan.txt']],
  )
  assert.deepEqual(
    [payload.pusher.login, payload.repository.full_name],
    [forge.login, `${forge.login}/engine`],
  )

  const again = await ask(forge, 202, `POST ${deliveries}/${arrived.id}/redeliver`)
  await newest('it was sent again', (delivery) => delivery.id === again.id && delivery.state === 'succeeded')
  const third = receiver.received[2]
  assert.ok(third)
  holdSigned(third)
  assert.deepEqual([third.body, third.headers['x-gitea-delivery']], [second.body, again.uuid])
  const { history, payload: sent } = await ask(forge, 200, `GET ${deliveries}/${arrived.id}`)
  assert.equal(sent, second.body)
  assert.deepEqual(
    history.map(({ response }: { response: { status: number; body: string } }) => [
      response.status,
      response.body,
    ]),
    [
      [500, 'not yet'],
      [200, 'heard'],
    ],
  )

  const directory = join(forge.dataDir, 'repositories', forge.login.toLowerCase(), 'engine.git')
  assert.ok(existsSync(directory))
  await ask(forge, 204, `DELETE ${repo}`)
  assert.ok(!existsSync(directory))
  await ask(forge, 404, `GET ${deliveries}`)
}

test('a repository from creation to deletion, with a signed delivery that is retried and repeated', async () => {
  const dataDir = await temporaryFolder()
  const app = await startApp({ DATA_DIR: dataDir })
  const ada = await makersFor(app).person({ name: 'Ada' })
  const background = startBackground({ pool: app.pool, clock: app.clock })
  try {
    const wait = () => app.clock.tick(10_000)
    await travel({ url: app.url, token: ada.token, login: 'Ada', dataDir, wait })
  } finally {
    await background.stop()
  }
})

const token = 'a1'.repeat(20)
const account = { ADMIN_USERNAME: 'boss', ADMIN_TOKEN: token, WEBHOOK_ALLOWED_HOSTS: 'loopback' }

test('the built file does the same by its own clock', onlyOnce, async () => {
  const home = await openHome()
  const server = await serveBinary({ ...home.environment, ...account })
  try {
    // The ten seconds pass by themselves.
    await travel({ url: server.url, token, login: 'boss', dataDir: home.dataDir, wait: () => {} })
  } finally {
    await stopBinary(server)
  }
})

test('two processes on one database send each delivery once between them', { skip: !onServer }, async () => {
  const receiver = await startReceiver((response) => setTimeout(() => response.end(), 5))
  const home = await openHome()
  const environment = {
    ...home.environment,
    ...account,
    SECRET_KEY: 'the same long key for both of the processes',
  }
  const servers = [await serveBinary(environment), await serveBinary(environment)]
  try {
    const forges = servers.map(({ url }) => ({
      url,
      token,
      login: 'boss',
      dataDir: home.dataDir,
      wait: () => {},
    }))
    const [left, right] = forges
    assert.ok(left && right)
    const config = { url: receiver.url, content_type: 'json', secret, is_system_webhook: 'true' }
    const wish = { type: 'gitea', active: true, events: ['repository'], config }
    const { id } = await ask(left, 201, 'POST /admin/hooks', wish)
    const names = Array.from({ length: 30 }, (_, at) => `r${at}`)
    await Promise.all(names.map((name, at) => ask(at % 2 ? left : right, 201, 'POST /user/repos', { name })))
    await until('all have arrived', async () => {
      const list: { state: string }[] = await ask(right, 200, `GET /admin/hooks/${id}/deliveries?limit=50`)
      return list.length === 30 && list.every(({ state }) => state === 'succeeded')
    })
    for (const each of receiver.received) holdSigned(each)
    const sent = receiver.received.map(({ body }) => JSON.parse(body).repository.name)
    assert.deepEqual(sent.sort(), names.sort())
  } finally {
    await Promise.all(servers.map(stopBinary))
  }
})
