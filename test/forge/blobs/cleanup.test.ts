import assert from 'node:assert/strict'
import { rm, utimes } from 'node:fs/promises'
import { test } from 'node:test'
import { beginOn } from '../../../src/db/begin.ts'
import { cleanUpPackages } from '../../../src/forge/blobs/cleanup.ts'
import { startApp } from '../../support/app.ts'
import { until } from '../../support/wait.ts'

const app = await startApp()
const { pool, url, clock, call, make } = app
const { blobs } = app.app.tools
const ada = await make.person({ name: 'ada' })
const boss = await make.admin()
const begin = beginOn(pool, clock.now)

const send = (method: string, path: string, body?: string) =>
  fetch(`${url}/api/packages/ada/generic/${path}`, {
    method,
    headers: { authorization: ada.authorization },
    ...(body !== undefined && { body }),
  })
const cleanUp = () =>
  cleanUpPackages(blobs, { sql: pool, begin, now: clock.now(), signal: AbortSignal.timeout(60_000) })
const onDisk = async () => {
  const names: string[] = []
  for await (const name of blobs.names()) names.push(name)
  return names.sort()
}
const known = async () =>
  (await pool<{ sha256: string }[]>`select sha256 from forge.package_blob order by sha256`).map(
    ({ sha256 }) => sha256,
  )

test('a clean-up of nothing finds nothing', async () => {
  assert.deepEqual(await cleanUp(), { unused: 0, unknown: 0 })
})

test('a content stays while one file uses it, and is removed from row and disk after the last', async () => {
  await send('PUT', 'a/1/f', 'shared')
  await send('PUT', 'b/1/f', 'shared')
  await send('PUT', 'b/1/g', 'own')
  assert.equal((await onDisk()).length, 2)
  await send('DELETE', 'b/1')
  assert.deepEqual(await cleanUp(), { unused: 1, unknown: 0 })
  assert.equal(await (await send('GET', 'a/1/f')).text(), 'shared')
  await send('DELETE', 'a/1')
  assert.deepEqual(await cleanUp(), { unused: 1, unknown: 0 })
  assert.deepEqual([await onDisk(), await known()], [[], []])
})

test('a file without a row, as a crash before the commit leaves it, is removed', async () => {
  const upload = await blobs.startUpload()
  await upload.write(Buffer.from('nobody knows'))
  await blobs.place(await upload.finish())
  await send('PUT', 'a/1/f', 'known')
  assert.deepEqual(await cleanUp(), { unused: 0, unknown: 1 })
  assert.deepEqual(await onDisk(), await known())
})

test('a row without a use and without its file, as a crash in a clean-up leaves it, is removed', async () => {
  await send('PUT', 'c/1/f', 'to be lost')
  await send('DELETE', 'c/1')
  for (const name of await onDisk()) if (!(await used(name))) await blobs.remove(name)
  assert.deepEqual(await cleanUp(), { unused: 1, unknown: 0 })
  assert.deepEqual(await onDisk(), await known())
})

test('an upload that has not been finished for a day is removed, a recent one is not', async () => {
  const [old, young] = [await blobs.startUpload(), await blobs.startUpload()]
  for (const each of [old, young]) await each.write(Buffer.from('half'))
  const [left, begun] = [await old.finish(), await young.finish()]
  const long = new Date(clock.now().getTime() - 25 * 3_600_000)
  await utimes(left.path, long, long)
  await utimes(begun.path, clock.now(), clock.now())
  await cleanUp()
  await assert.rejects(rm(left.path), /ENOENT/)
  await rm(begun.path)
})

test('a clean-up during uploads and removals removes no content that a file uses', async () => {
  for (let round = 0; round < 10; round++) {
    const [put] = await Promise.all([send('PUT', `dance/${round}/f`, 'the same'), cleanUp(), cleanUp()])
    assert.equal(put.status, 201)
    assert.equal(await (await send('GET', `dance/${round}/f`)).text(), 'the same')
    await Promise.all([send('DELETE', `dance/${round}`), cleanUp()])
  }
  await cleanUp()
  assert.deepEqual(await onDisk(), await known())
})

test('POST /api/v1/admin/cron/{task} cleanup_packages cleans up', async () => {
  await send('PUT', 'e/1/f', 'to be cleaned up')
  const before = await onDisk()
  await send('DELETE', 'e/1')
  const params = { task: 'cleanup_packages' }
  assert.equal((await call('POST /api/v1/admin/cron/{task}', { as: boss, params })).status, 204)
  await until('it is removed', async () => (await onDisk()).length === before.length - 1)
})

async function used(sha256: string): Promise<boolean> {
  return (await pool`select from forge.package_file where blob = ${sha256}`).length > 0
}
