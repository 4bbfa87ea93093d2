import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { suite, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { acquireLock, LockedError } from '../../src/db/lock.ts'
import { temporaryFolder } from '../support/folder.ts'
import { longest } from '../support/wait.ts'

const CHILD = fileURLToPath(new URL('./lock.child.js', import.meta.url))

/** Starts a process that tries to take the folder; resolves with its first line. */
async function start(t: TestContext, dataDir: string): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(process.execPath, [CHILD, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  assert.ok(child.stdout)
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, line }
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

test('a second process gets an error that names the holder of the folder', {
  timeout: longest,
}, async (t) => {
  const dataDir = await temporaryFolder()
  const { child, line } = await start(t, dataDir)
  assert.equal(line, 'held')
  await assert.rejects(acquireLock(dataDir), (error) => {
    assert.ok(error instanceof LockedError)
    const start = `${dataDir} is in use by process ${child.pid} on ${hostname()} since `
    assert.equal(error.message.slice(0, start.length), start)
    assert.match(error.message, /since \d{4}-.*; stop it first/)
    return true
  })
})

test('the same process is refused too', { timeout: longest }, async () => {
  const dataDir = await temporaryFolder()
  const lock = await acquireLock(dataDir)
  await assert.rejects(acquireLock(dataDir), LockedError)
  await lock.release()
})

test('a folder whose lock file cannot be written any more is released all the same', {
  timeout: longest,
}, async () => {
  const dataDir = await temporaryFolder()
  const lock = await acquireLock(dataDir)
  await rm(join(dataDir, 'lock'), { recursive: true })
  await lock.release()
  await (await acquireLock(dataDir)).release()
})

test('a released folder can be taken, any number of times', { timeout: longest }, async () => {
  const dataDir = await temporaryFolder()
  for (let i = 0; i < 5; i += 1) await (await acquireLock(dataDir)).release()
  assert.deepEqual(await readdir(join(dataDir, 'lock')), ['5'])
})

test('a path too long for a socket is locked as well', { timeout: longest }, async (t) => {
  const dataDir = join(await temporaryFolder(), 'd'.repeat(120))
  await mkdir(dataDir)
  const { child } = await start(t, dataDir)
  await assert.rejects(acquireLock(dataDir), LockedError)
  await kill(child)
  await (await acquireLock(dataDir)).release()
})

test('the folder of a killed process is taken at once', { timeout: longest }, async (t) => {
  const dataDir = await temporaryFolder()
  const { child } = await start(t, dataDir)
  await kill(child)
  const lock = await acquireLock(dataDir)
  await lock.release()
})

test('a suspended process keeps its folder', { timeout: longest }, async (t) => {
  const dataDir = await temporaryFolder()
  const { child } = await start(t, dataDir)
  child.kill('SIGSTOP')
  await assert.rejects(acquireLock(dataDir), LockedError)
})

test('of many processes that find a dead holder exactly one takes the folder', {
  timeout: longest,
}, async (t) => {
  const dataDir = await temporaryFolder()
  for (let round = 0; round < 3; round += 1) {
    const starters = await Promise.all(Array.from({ length: 6 }, () => start(t, dataDir)))
    const winners = starters.filter(({ line }) => line === 'held')
    assert.equal(winners.length, 1, starters.map(({ line }) => line).join('\n'))
    for (const { child } of winners) await kill(child)
  }
})

/** A lock file as a process of another kernel would have left it. */
async function foreignLock(dataDir: string, text?: string, changes = {}): Promise<string> {
  await mkdir(join(dataDir, 'lock'))
  const record = {
    pid: 1,
    host: 'elsewhere',
    since: '2026-01-01T00:00:00.000Z',
    token: 'f00',
    kernel: 'other',
    ...changes,
  }
  const path = join(dataDir, 'lock', '7')
  await writeFile(path, text ?? JSON.stringify(record))
  return path
}

// Each waits for seconds, as the lock does: at the same time.
suite('signs of life', { concurrency: true }, () => {
  test('a holder on another machine is known by its signs of life', { timeout: longest }, async (t) => {
    const dataDir = await temporaryFolder()
    const path = await foreignLock(dataDir)
    const beating = setInterval(() => utimes(path, new Date(), new Date()), 200)
    t.after(() => clearInterval(beating))
    await assert.rejects(acquireLock(dataDir), /in use by process 1 on elsewhere since 2026-01-01/)
  })

  test('a holder on another machine without signs of life is replaced', { timeout: longest }, async () => {
    const dataDir = await temporaryFolder()
    await foreignLock(dataDir)
    const lock = await acquireLock(dataDir)
    const record = JSON.parse(await readFile(join(dataDir, 'lock', '8'), 'utf8'))
    assert.equal(record.pid, process.pid)
    await lock.release()
  })

  test('a lock that was released on another machine is taken at once', { timeout: longest }, async (t) => {
    const dataDir = await temporaryFolder()
    const path = await foreignLock(dataDir, undefined, { released: true })
    // Heartbeats would be believed, if it looked at them.
    const beating = setInterval(() => utimes(path, new Date(), new Date()), 200)
    t.after(() => clearInterval(beating))
    await (await acquireLock(dataDir)).release()
  })

  test('a holder whose socket has been removed is known by its signs of life', {
    timeout: longest,
  }, async (t) => {
    const dataDir = await temporaryFolder()
    const lock = await acquireLock(dataDir)
    const awake = setInterval(() => {}, 1_000)
    t.after(() => clearInterval(awake))
    const sockets = (await readdir(join(dataDir, 'lock'))).filter((name) => name.endsWith('.sock'))
    assert.equal(sockets.length, 1)
    await rm(join(dataDir, 'lock', sockets[0] ?? ''))
    await assert.rejects(acquireLock(dataDir), LockedError)
    await lock.release()
  })

  test('a lock file whose writer died before a word is replaced', { timeout: longest }, async () => {
    const dataDir = await temporaryFolder()
    await foreignLock(dataDir, '')
    await (await acquireLock(dataDir)).release()
  })

  test('`lost` resolves for a holder that was replaced, or whose lock file is missing', {
    timeout: longest,
  }, async (t) => {
    const awake = setInterval(() => {}, 1_000)
    t.after(() => clearInterval(awake))
    const [replaced, robbed] = [await temporaryFolder(), await temporaryFolder()]
    const locks = [await acquireLock(replaced), await acquireLock(robbed)]
    await writeFile(join(replaced, 'lock', '99'), '')
    await rm(join(robbed, 'lock', '1'))
    const [first, second] = await Promise.all(locks.map(({ lost }) => lost))
    assert.match(first ?? '', /^Another process/)
    assert.match(second ?? '', /lock file is missing/)
    await Promise.all(locks.map((lock) => lock.release()))
  })
})
