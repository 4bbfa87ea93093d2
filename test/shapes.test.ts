import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openHome, serveBinary, stopBinary } from './support/binary.ts'
import { place } from './support/database.ts'
import { basic } from './support/make.ts'

const home = await openHome()
const folder = await mkdtemp(join(place, 'forgehall-shapes-'))
const logfile = join(folder, 'maps')
const flags = ['--log-maps', '--no-log-maps-details', '--no-logfile-per-isolate', `--logfile=${logfile}`]
const server = await serveBinary(
  { ...home.environment, ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'wished for it' },
  { flags },
)
after(async () => {
  await stopBinary(server)
  await home.close()
  await rm(folder, { recursive: true })
})

async function ask(method: string, path: string, body?: object): Promise<void> {
  const headers = { ...basic('root', 'wished for it'), 'content-type': 'application/json' }
  const response = await fetch(server.url + path, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  await response.arrayBuffer()
  assert.ok(response.ok, `${method} ${path}: ${response.status}`)
}

/** The names of the properties for which V8 has made a hidden class from another one so far. */
const shapesMade = async () =>
  [...(await readFile(logfile, 'latin1')).matchAll(/^map,Transition,.*,(\S+)$/gm)].map(([, name]) => name)

await ask('POST', '/api/v1/user/repos', { name: 'one' })

/** A collection drops shapes that no object has, and most of them are made once more; it does not come in every round. */
const rounds = 5
const requests = 20

for (const [method, path, body] of [
  ['GET', '/api/news'],
  ['POST', '/api/news', { title: 'a', content: 'b' }],
  ['POST', '/api/media', { title: 'a', media_type: 'image', url: 'https://example.com/a.png' }],
  ['GET', '/api/v1/version'],
  ['GET', '/api/v1/admin/actions/runs'],
  ['GET', '/api/v1/admin/actions/jobs'],
  ['GET', '/api/v1/user/emails'],
  ['POST', '/api/v1/repos/root/one/issues', { title: 'a' }],
  ['POST', '/api/v1/markdown', { Text: '# a' }],
] as const) {
  test(`${method} ${path} makes objects of shapes that are known`, async () => {
    for (let at = 0; at < 30; at++) await ask(method, path, body)
    const made: (string | undefined)[][] = []
    for (let round = 0; round < rounds; round++) {
      const { length } = await shapesMade()
      for (let at = 0; at < requests; at++) await ask(method, path, body)
      made.push((await shapesMade()).slice(length))
    }
    const fewest = made.reduce((least, round) => (round.length < least.length ? round : least))
    assert.ok(fewest.length < requests, [...new Set(fewest)].join())
  })
}
