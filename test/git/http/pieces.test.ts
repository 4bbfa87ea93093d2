import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { forEachChunk } from '../../../src/git/http/chunks.ts'
import { temporaryFolder } from '../../support/git.ts'

const folder = await temporaryFolder()
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

test('all that a process writes comes in order, through the same memory, and no faster than it is taken', async () => {
  const content = randomBytes(5_000_000)
  const path = join(folder, 'content')
  await writeFile(path, content)
  const { stdout } = spawn('cat', [path], { stdio: ['ignore', 'pipe', 'inherit'] })
  const memories = new Set<ArrayBufferLike>()
  const hash = createHash('sha256')
  let [taking, most] = [0, 0]
  await forEachChunk(stdout, async (piece) => {
    most = Math.max(most, ++taking)
    memories.add(piece.buffer)
    await pause(2)
    hash.update(piece)
    taking--
  })
  assert.equal(hash.digest('hex'), digest(content))
  assert.equal(most, 1)
  assert.ok(memories.size <= 3)
})

test('a stream that is no pipe, and a pipe that has been read from, are read as any other', async () => {
  const read = async (stream: Readable) => {
    let said = ''
    await forEachChunk(stream, async (piece) => {
      said += piece.toString()
    })
    return said
  }
  assert.equal(await read(Readable.from([Buffer.from('a'), Buffer.from('b')])), 'ab')
  const { stdout } = spawn('echo', ['early'], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise((resolve) => stdout.once('readable', resolve))
  assert.equal(await read(stdout), 'early\n')
  const broken = new Readable({ read: () => broken.destroy(new Error('broken')) })
  assert.equal(await read(broken), '')
})

test('a process that could not be started brings nothing', async () => {
  const child = spawn(join(folder, 'nothing'), { stdio: 'pipe' }).on('error', () => {})
  await forEachChunk(child.stdout, async () => assert.fail('nothing was written'))
})
