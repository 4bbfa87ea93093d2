import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { hasShrinkwrap } from '../../../../src/forge/packages/npm/shrinkwrap.ts'
import { startApp } from '../../../support/app.ts'
import { temporaryFolder } from '../../../support/folder.ts'

const folder = await temporaryFolder()
const { call, make } = await startApp({ DATA_DIR: join(folder, 'data') })
const ada = await make.person({ name: 'ada' })
const show = 'GET /api/packages/{owner}/npm/{name}'
const put = 'PUT /api/packages/{owner}/npm/{name}'

/** A tar archive with these files, or links of these names. */
async function tar(...entries: (string | { link: string })[]): Promise<Buffer> {
  const archive = pack()
  for (const entry of entries)
    if (typeof entry === 'string') archive.entry({ name: entry }, 'x'.repeat(700))
    else archive.entry({ name: entry.link, type: 'symlink', linkname: 'x' })
  archive.finalize()
  return buffer(archive)
}
const tarball = async (...entries: Parameters<typeof tar>) => gzipSync(await tar(...entries))

const lock = 'package/npm-shrinkwrap.json'
const long = `package/${'a'.repeat(90)}/${'b'.repeat(90)}/${'c'.repeat(200)}`

let made = 0
/** What a version says of its shrinkwrap after it was published with a tarball. */
async function announcedOf(content: Buffer, more: object = {}): Promise<unknown> {
  const name = `tool${++made}`
  const body = {
    name,
    versions: { '1.0.0': { name, version: '1.0.0', ...more } },
    _attachments: { [`${name}-1.0.0.tgz`]: { data: content.toString('base64'), length: content.length } },
  }
  const params = { owner: 'ada', name }
  assert.equal((await call(put, { params, body, as: ada })).status, 201)
  return (await call(show, { params })).body.versions['1.0.0']._hasShrinkwrap
}

test(`${put} announces the shrinkwrap of a tarball`, async () => {
  for (const names of [
    [lock],
    ['package/package.json', 'package/lib/index.js', lock, 'package/z.js'],
    ['tool-1.0.0/npm-shrinkwrap.json'],
    [long, lock],
  ])
    assert.equal(await announcedOf(await tarball(...names)), true, names.join())
})

test(`${put} announces nothing where npm would read no shrinkwrap`, async () => {
  for (const entries of [
    ['package/package.json'],
    ['npm-shrinkwrap.json', 'package/node_modules/a/npm-shrinkwrap.json', `${lock}.txt`, `${lock}/x`],
    [],
  ])
    assert.equal(await announcedOf(await tarball(...entries)), undefined, entries.join())
  const linked = await tarball({ link: lock })
  assert.equal(await announcedOf(linked), undefined)
  const after = gzipSync(Buffer.concat([await tar('package/a'), await tar(lock)]))
  assert.equal(await announcedOf(after), undefined, 'after the end')
  assert.equal(
    await announcedOf(await tarball('package/a'), { _hasShrinkwrap: true }),
    true,
    'as the client says',
  )
})

test(`${put} publishes a broken tarball as it is`, async () => {
  const whole = await tar(lock, 'package/a')
  const packed = gzipSync(whole)
  const damaged = Buffer.from(whole)
  damaged[3] = 0x21
  const sized = Buffer.from(whole)
  sized[124] = 0x80
  for (const content of [
    Buffer.from('no tarball'),
    whole,
    packed.subarray(0, -12),
    packed.subarray(0, 20),
    gzipSync(damaged),
    gzipSync(sized),
    gzipSync('x'.repeat(5000)),
    gzipSync(''),
  ])
    assert.equal(await announcedOf(content), undefined)
})

test('a shrinkwrap is found in whatever chunks a tarball is unpacked, up to a limit', async () => {
  const path = join(folder, 'one.tgz')
  await writeFile(path, await tarball('package/a', lock, 'package/b'))
  // The second header ends after 512 + 1024 + 512 bytes.
  assert.equal(await hasShrinkwrap(path, 2047), false)
  assert.equal(await hasShrinkwrap(path, 2048), true)
  const large = Array.from({ length: 900 }, (_, at) => `package/${at}`)
  await writeFile(path, await tarball(...large, lock))
  assert.equal(await hasShrinkwrap(path), true)
  assert.equal(await hasShrinkwrap(path, 900 * 1536), false)
  await assert.rejects(hasShrinkwrap(join(folder, 'nothing')), { code: 'ENOENT' })
})
