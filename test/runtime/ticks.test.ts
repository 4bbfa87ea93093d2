import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { binary } from '../support/binary.ts'

const folder = await mkdtemp(join(tmpdir(), 'forgehall-ticks-'))
after(() => rm(folder, { recursive: true }))

/** Enough ticks that V8 remembers what it saw, a collection while there are none, and ticks again. */
const ticksAndCollection = `
  const ticks = (left) => new Promise((done) => {
    const next = () => (left-- > 0 ? process.nextTick(next) : done())
    next()
  })
  const pause = () => new Promise((done) => setTimeout(done, 20))
  setTimeout(async () => {
    await ticks(100); await pause(); gc(); await pause(); await ticks(100)
  }, 20)`

/** How often V8 makes the shape of a tick's record while `script` runs. */
async function shapesMade(name: string, script: readonly string[]): Promise<number> {
  const logfile = join(folder, name)
  const flags = ['--expose-gc', '--log-maps', '--no-log-maps-details', `--logfile=${logfile}`]
  const preload = `data:text/javascript,${encodeURIComponent(ticksAndCollection)}`
  await promisify(execFile)(process.execPath, [
    ...flags,
    '--no-logfile-per-isolate',
    '--import',
    preload,
    ...script,
  ])
  const log = await readFile(logfile, 'latin1')
  return [...log.matchAll(/^map,Transition,.*symbol\("trigger_async_id_symbol"/gm)].length
}

test('the shape of a tick survives a collection in the built file', async () => {
  assert.equal(await shapesMade('ours', [binary, '--version']), 1)
})

const elsewhere = !process.version.startsWith('v20.') && 'known of Node 20 only'
test('without our care it is forgotten', { skip: elsewhere }, async () => {
  assert.equal(await shapesMade('bare', ['-e', 'setTimeout(() => {}, 200)']), 2)
})
