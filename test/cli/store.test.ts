import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Blobs } from '../../src/blobs/blobs.ts'
import { openBlobs } from '../../src/blobs/open.ts'
import type { S3Settings } from '../../src/blobs/s3/settings.ts'
import { type Environment, openHome, runBinary, serveBinary, stopBinary } from '../support/binary.ts'
import { onlyOnce, onServer } from '../support/database.ts'
import { temporaryFolder } from '../support/folder.ts'
import { basic } from '../support/forge/make.ts'
import { runInProcess } from '../support/in-process.ts'
import { openStore } from '../support/processes/s3.ts'
import { until } from '../support/wait.ts'
import { emptyPlace, folderForBackups, secretKey } from './archives.ts'

const store = await openStore()
const home = await openHome()
const administrator = { ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'wished for it', SECRET_KEY: secretKey }
const environment: Environment = {
  ...home.environment,
  ...administrator,
  ...store.environment,
  PUBLIC_URL: 'https://forge.example.org/',
}
const headers = basic('root', 'wished for it')

const put = async (url: string, path: string, body: string) => {
  const sent = await fetch(`${url}/api/packages/root/generic/${path}`, { method: 'PUT', headers, body })
  return sent.status
}
const get = async (url: string, path: string) => {
  const back = await fetch(`${url}/api/packages/root/generic/${path}`, { headers })
  return back.status === 200 ? await back.text() : back.status
}

/** Does something with contents of the store beside the server. */
async function withContents<Result>(
  s3: S3Settings,
  work: (blobs: Blobs) => Promise<Result>,
): Promise<Result> {
  const blobs = openBlobs({ dataDir: await temporaryFolder(), s3 })
  try {
    return await work(blobs)
  } finally {
    blobs.close()
  }
}

async function namesOf(blobs: Blobs): Promise<string[]> {
  const names: string[] = []
  for await (const name of blobs.names()) names.push(name)
  return names.sort()
}

test('after kill -9 during uploads every acknowledged file is in the store', async () => {
  const acknowledged = new Map<string, string>()
  const server = await serveBinary(environment)
  let isAlive = true
  const publish = async (worker: number) => {
    for (let n = 0; isAlive; n++) {
      const [path, content] = [`p${worker}/1/f${n}`, `${worker} ${n} `.repeat(20_000)]
      if ((await put(server.url, path, content).catch(() => 0)) === 201) acknowledged.set(path, content)
    }
  }
  const workers = [0, 1, 2, 3].map(publish)
  await until('some are acknowledged', () => acknowledged.size > 10)
  server.signal('SIGKILL')
  isAlive = false
  await Promise.all([server.ended, ...workers])

  const again = await serveBinary(environment)
  for (const [path, content] of acknowledged) assert.equal(await get(again.url, path), content, path)
  await stopBinary(again)
})

test('two servers on one database with folders of their own share the files of packages', {
  skip: onServer ? false : 'the embedded database serves one process',
}, async () => {
  const other = { ...environment, DATA_DIR: await temporaryFolder() }
  const [first, second] = await Promise.all([serveBinary(environment), serveBinary(other)])
  assert.equal(await put(first.url, 'shared/1/f', 'from the first'), 201)
  assert.equal(await get(second.url, 'shared/1/f'), 'from the first')
  assert.equal(await put(second.url, 'shared/1/g', 'from the second'), 201)
  assert.equal(await get(first.url, 'shared/1/g'), 'from the second')
  await Promise.all([stopBinary(first), stopBinary(second)])
})

test(
  'a start against a store that refuses it ends with a sentence; without the store the rest is served',
  onlyOnce,
  async () => {
    const secret = 'another secret'
    const refused = await runBinary([], { ...environment, PORT: '0', S3_SECRET_ACCESS_KEY: secret })
    assert.equal(refused.code, 2)
    assert.match(refused.err, /403 SignatureDoesNotMatch .*; check S3_URL, S3_REGION, S3_ACCESS_KEY_ID/)
    assert.ok(!(refused.out + refused.err).includes(secret))
    const stranger = await openHome()
    const foreign = await runBinary([], { ...environment, PORT: '0', ...stranger.environment })
    assert.equal(foreign.code, 2)
    assert.match(
      foreign.err,
      /the S3 store belongs to another database: give each a bucket or path of its own/,
    )
    await store.line.cut()
    const server = await serveBinary(environment)
    const warnings = server.lines().filter(({ level }) => level === 'warn')
    assert.deepEqual(
      [...new Set(warnings.map(({ message }) => message))],
      [
        'a request to the store failed',
        'the package store is unavailable; the server works without packages',
      ],
    )
    assert.equal((await fetch(`${server.url}/api/news`)).status, 200)
    assert.equal(await get(server.url, 'p0/1/f0'), 503)
    await store.line.mend()
    assert.match(String(await get(server.url, 'p0/1/f0')), /^0 0 /)
    assert.equal((await stopBinary(server)).code, 0)
  },
)

test('forgehall doctor tries the store, and names contents that it lacks', async () => {
  const diagnose = async (settings: Environment = {}) => {
    const { out } = await runInProcess(['doctor', '--json'], { ...environment, ...settings })
    const findings: { check: string; state: string; found: string }[] = JSON.parse(out)
    return findings
      .filter(({ check }) => check === 'store' || check === 'packages')
      .map(({ check, state, found }) => `${state} ${check}: ${found}`)
  }
  const [file, secret] = [join(await temporaryFolder(), 'secret'), environment.S3_SECRET_ACCESS_KEY ?? '']
  const byFile = { S3_SECRET_ACCESS_KEY: '', S3_SECRET_ACCESS_KEY_FILE: file }
  const name = createHash('sha256').update('0 0 '.repeat(20_000)).digest('hex')
  await withContents(store.settings, (blobs) => blobs.remove(name))
  await writeFile(file, `${secret}\n`)
  const [right, packages] = await diagnose(byFile)
  assert.equal(right, 'ok store: stores and returns package contents')
  assert.match(
    packages ?? '',
    new RegExp(`^failed packages: 1 of \\d+ contents are missing in the S3 store: ${name}`),
  )
  await writeFile(file, 'wrong\n')
  const wrong = await diagnose(byFile)
  assert.equal(wrong.length, 1)
  assert.match(wrong[0] ?? '', /^failed store: GET .* 403 SignatureDoesNotMatch/)
})

test('a backup holds what is in the store; it is restored to a folder and to an empty store, and to no other', async () => {
  const file = join(await folderForBackups(), 'backup')
  const made = await runInProcess(['backup', file], environment)
  assert.equal(made.code, 0, made.err)
  assert.match(made.err, /package content [0-9a-f]{64} is missing in the S3 store/)
  const before = await withContents(store.settings, namesOf)
  const kind = onServer ? 'postgresql' : 'embedded'
  const place = await emptyPlace(kind)
  const used = await runInProcess(['restore', file], { ...place, ...store.environment })
  assert.equal(used.code, 1)
  assert.match(used.err, /the S3 store is not empty/)
  assert.deepEqual(await withContents(store.settings, namesOf), before, 'nothing in it has changed')

  const S3_URL = `${store.environment.S3_URL}-restored`
  const restored = await runInProcess(['restore', file], { ...place, ...store.environment, S3_URL })
  assert.equal(restored.code, 0, restored.err)
  const elsewhere = { ...store.settings, prefix: store.settings.prefix.replace(/\/$/, '-restored/') }
  const names = await withContents(elsewhere, namesOf)
  assert.ok(names.length > 5)
  assert.deepEqual(
    names,
    before.filter((name) => names.includes(name)),
  )

  const inFolder = await emptyPlace(kind)
  assert.equal((await runInProcess(['restore', file], inFolder)).code, 0)
  const folder = openBlobs({ dataDir: inFolder.DATA_DIR, s3: undefined })
  assert.deepEqual(await namesOf(folder), names)
})
