import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { Blobs, Span } from '../../src/blobs/blobs.ts'
import { createFolder } from '../../src/blobs/folder.ts'
import { OTHER_DIGESTS } from '../../src/blobs/upload.ts'
import { temporaryFolder } from '../support/folder.ts'

const digest = (kind: string, text: string) => createHash(kind).update(text).digest('hex')
const root = async () => join(await temporaryFolder(), 'blobs')

async function uploaded(blobs: Blobs, ...pieces: string[]) {
  const upload = await blobs.startUpload(OTHER_DIGESTS)
  for (const piece of pieces) await upload.write(Buffer.from(piece))
  return upload.finish()
}

async function namesOf(blobs: Blobs): Promise<string[]> {
  const names: string[] = []
  for await (const name of blobs.names()) names.push(name)
  return names.sort()
}

async function content(blobs: Blobs, sha256: string, span?: Span): Promise<string | undefined> {
  const found = await blobs.read(sha256, span)
  if (!found) return undefined
  const whole = await text(found.stream)
  assert.equal(whole.length, found.size)
  return whole
}

test('a content is uploaded in pieces, with all its checksums, and seen once it is placed', async () => {
  const blobs = createFolder(await root())
  const made = await uploaded(blobs, 'one ', '', 'two')
  const words = 'one two'
  assert.deepEqual(made.digests, {
    md5: digest('md5', words),
    sha1: digest('sha1', words),
    sha256: digest('sha256', words),
    sha512: digest('sha512', words),
  })
  assert.equal(made.size, 7)
  assert.equal(await content(blobs, made.digests.sha256), undefined)
  assert.deepEqual(await namesOf(blobs), [])
  await blobs.place(made)
  assert.equal(await content(blobs, made.digests.sha256), words)
  assert.equal(await content(blobs, made.digests.sha256, { first: 4, last: 6 }), 'two')
  assert.equal(await blobs.has(made.digests.sha256), true)
  assert.deepEqual(await namesOf(blobs), [made.digests.sha256])
})

test('equal contents are stored once, and placing them may be repeated', async () => {
  const folder = await root()
  const blobs = createFolder(folder)
  const [first, second] = [await uploaded(blobs, 'same'), await uploaded(blobs, 'same')]
  await blobs.place(first)
  await blobs.place(first)
  await blobs.place(second)
  assert.deepEqual(await namesOf(blobs), [digest('sha256', 'same')])
  assert.deepEqual(await readdir(join(folder, '.temporary')), [])
})

test('an incomplete content is not placed', async () => {
  const folder = await root()
  const blobs = createFolder(folder)
  const upload = await blobs.startUpload()
  await upload.write(Buffer.from('half'))
  await upload.discard()
  await upload.discard()
  assert.deepEqual(await readdir(join(folder, '.temporary')), [])
  const gone = await uploaded(blobs, 'gone')
  const again = await blobs.startUpload()
  await again.discard()
  await blobs.tidy(new Date(Date.now() + 60_000))
  await assert.rejects(blobs.place(gone), /ENOENT/)
})

test('a content that is being read stays readable when it is removed', async () => {
  const blobs = createFolder(await root())
  const made = await uploaded(blobs, 'read me')
  await blobs.place(made)
  const opened = await blobs.read(made.digests.sha256)
  await blobs.remove(made.digests.sha256)
  await blobs.remove(made.digests.sha256)
  assert.ok(opened)
  assert.equal(await text(opened.stream), 'read me')
  assert.equal(await blobs.read(made.digests.sha256), undefined)
  assert.equal(await blobs.has(made.digests.sha256), false)
})

test('only files whose names are those of contents count as contents', async () => {
  const folder = await root()
  const blobs = createFolder(folder)
  assert.deepEqual(await namesOf(blobs), [])
  const made = await uploaded(blobs, 'x')
  await blobs.place(made)
  const digits = made.digests.sha256.slice(0, 2)
  await writeFile(join(folder, digits, 'notes.txt'), '')
  await writeFile(join(folder, digits, 'f'.repeat(64)), '')
  await writeFile(join(folder, 'stray'), '')
  assert.deepEqual(await namesOf(blobs), [made.digests.sha256])
  for (const name of ['../../etc/passwd', '', 'A'.repeat(64)]) {
    await assert.rejects(async () => blobs.read(name), RangeError)
  }
})

test('unfinished uploads that were last written before a time are removed, others are not', async () => {
  const folder = await root()
  const blobs = createFolder(folder)
  const [old, young] = [await uploaded(blobs, 'old'), await uploaded(blobs, 'young')]
  await utimes(old.path, new Date('2026-01-01'), new Date('2026-01-01'))
  await blobs.tidy(new Date('2026-01-02'))
  assert.equal((await readdir(join(folder, '.temporary'))).length, 1)
  await blobs.place(young)
  await assert.rejects(blobs.place(old), /ENOENT/)
})

test('a file that has changed on the disk fails before its last bytes', async () => {
  const folder = await root()
  const blobs = createFolder(folder)
  const made = await uploaded(blobs, 'x'.repeat(200_000))
  await blobs.place(made)
  const { sha256 } = made.digests
  await writeFile(join(folder, sha256.slice(0, 2), sha256), 'y'.repeat(200_000))
  const found = await blobs.read(sha256)
  let got = 0
  const reading = async () => {
    for await (const chunk of found?.stream ?? []) got += chunk.length
  }
  await assert.rejects(reading, /the content [0-9a-f]{64} is damaged/)
  assert.ok(got < 200_000)
  assert.equal(await content(blobs, sha256, { first: 0, last: 1 }), 'yy')
})
