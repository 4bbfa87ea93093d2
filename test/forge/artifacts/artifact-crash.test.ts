import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openHome, type Serving, serveBinary, stopBinary } from '../../support/binary.ts'
import { onlyOnce } from '../../support/database.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { postgresVersion, startPostgres } from '../../support/postgres-server.ts'
import { longest, until } from '../../support/wait.ts'
import { blocks, Interrupted, newUpload, takeJob, uploadsOf } from './uploads.ts'

/** Steps of an upload: it begins, its blocks are sent, it ends. */
const stepsOfUpload = blocks.length + 2

const admin = { ADMIN_USERNAME: 'ada', ADMIN_PASSWORD: 'a password for tests' }

/** A server that can be started again. */
async function startServer(environment: Record<string, string>) {
  let serving: Serving = await serveBinary({ ...environment, ...admin })
  after(() => stopBinary(serving))
  return {
    url: () => serving.url,
    kill: async () => {
      serving.signal('SIGKILL')
      await serving.ended
    },
    start: async () => {
      serving = await serveBinary({ ...environment, ...admin })
    },
  }
}

/** What is killed at some step of the uploads, and what starts it again. */
interface Victim {
  kill: () => Promise<void>
  start: () => Promise<void>
}

/** Clients of both protocols upload; the victim is killed so often that each step is met, and all goes on after it. */
async function killAtEachStep(
  { v3, v4, carryOn, check }: ReturnType<typeof uploadsOf>,
  victim: Victim,
): Promise<void> {
  const clients = [v3, v3, v4, v4].map((protocol, at) => ({
    protocol,
    name: `client-${at}`,
    acknowledged: new Set<string>(),
    open: newUpload(`client-${at}`),
  }))
  const checkAll = async () => {
    for (const { protocol, acknowledged } of clients) await check(protocol, acknowledged)
  }
  let steps = 0
  for (let round = 0; round < stepsOfUpload; round++) {
    let isAlive = true
    const work = async (client: (typeof clients)[number]) => {
      while (isAlive)
        try {
          await carryOn(client.protocol, client.open, () => steps++)
          client.acknowledged.add(client.open.name)
          client.open = newUpload(`${client.name}-${client.acknowledged.size}`)
        } catch (error) {
          if (isAlive || !(error instanceof Interrupted)) throw error
        }
    }
    // Each round ends at another step.
    const end = steps + 2 * stepsOfUpload + round
    const working = clients.map(work)
    await Promise.race([until('some steps are done', () => steps >= end), ...working])
    isAlive = false
    await Promise.all([victim.kill(), ...working])
    await victim.start()
    await until('it is served again', () => checkAll().then(() => true, waitsFor))
  }
  for (const { protocol, open, acknowledged } of clients) {
    assert.ok(acknowledged.size > 0)
    await carryOn(protocol, open)
  }
  await checkAll()
}

/** The server has not noticed yet that its database is back. */
function waitsFor(error: unknown): boolean {
  if (error instanceof Interrupted) return false
  throw error
}

const kept = 'each acknowledged block and artifact is there, and nothing half is listed'

test(`after a kill of the server at any step of an upload, ${kept}`, { timeout: longest }, async () => {
  const { environment } = await openHome()
  const server = await startServer(environment)
  const uploads = uploadsOf(server.url, await takeJob({ url: server.url() }))
  await killAtEachStep(uploads, server)
})

test(`after a kill of PostgreSQL at any step of an upload, ${kept}`, {
  timeout: longest,
  // It starts one of its own, whatever database the other tests have.
  ...(postgresVersion() === undefined ? { skip: 'PostgreSQL is not installed' } : onlyOnce),
}, async () => {
  const database = await startPostgres({ fsync: false })
  after(() => database.remove())
  const dataDir = await temporaryFolder()
  const server = await startServer({ DATA_DIR: dataDir, DATABASE_URL: database.url })
  const uploads = uploadsOf(server.url, await takeJob({ url: server.url() }))
  await killAtEachStep(uploads, database)
})

for (const kind of ['v3', 'v4'] as const)
  test(`a client of ${kind} that is killed at any step leaves nothing half, and another one begins anew`, {
    timeout: longest,
  }, async () => {
    const { environment } = await openHome()
    const server = await startServer(environment)
    const uploads = uploadsOf(server.url, await takeJob({ url: server.url() }))
    const { carryOn, vanish, check, [kind]: protocol } = uploads
    const names: string[] = []
    // After so many steps; the next one, of a block, is half done.
    for (let steps = 1; steps <= blocks.length; steps++) {
      const upload = newUpload(`${kind}-${steps}`)
      const stop = new Error('killed')
      let left = steps
      await assert.rejects(
        carryOn(protocol, upload, () => {
          if (--left === 0) throw stop
        }),
        stop,
      )
      await vanish(protocol, upload, blocks[steps - 1] ?? '')
      await check(protocol, names)
      assert.equal((await protocol.names()).length, names.length)
      // What has received nothing may end with nothing.
      if (upload.sent.size > 0) await assert.rejects(protocol.end(upload), /400/)
      await carryOn(protocol, newUpload(upload.name))
      names.push(upload.name)
      await check(protocol, names)
    }
  })
