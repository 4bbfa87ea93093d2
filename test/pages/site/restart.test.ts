import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { emptyPlace, folderForBackups, secretKey } from '../../cli/archives.ts'
import {
  type Environment,
  openHome,
  runBinary,
  type Serving,
  serveBinary,
  stopBinary,
} from '../../support/binary.ts'
import { onServer } from '../../support/database.ts'
import { pngHead } from '../../support/forge/pictures.ts'
import { openStore } from '../../support/processes/s3.ts'
import { until } from '../../support/wait.ts'
import { hiddenIn, manage } from '../managing.ts'

/** There a server starts in a second, and these tests start it often. */
const skip = !onServer && 'needs a PostgreSQL server'

/** A session of the administrator in a browser. */
async function browserOn({ url }: Serving) {
  const headers = { 'sec-fetch-site': 'same-origin', origin: url, accept: 'text/html' }
  const send = (path: string, fields: Record<string, string>, cookie = '') =>
    fetch(url + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...headers, cookie },
      body: new URLSearchParams(fields),
    })
  const signedIn = await send('/login', { user: 'administrator', password: 'a password for tests' })
  assert.equal(signedIn.status, 303)
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const page = await (await fetch(url + manage, { headers: { ...headers, cookie } })).text()
  const form_token = hiddenIn(page, 'form_token')
  return (path: string, fields: Record<string, string>) => send(path, { form_token, ...fields }, cookie)
}

const titlesOn = async ({ url }: Serving): Promise<string[]> =>
  ((await (await fetch(`${url}/api/news`)).json()) as { title: string }[]).map(({ title }) => title)

test('a scheduled post is published once at its time, whichever process is killed before', {
  skip,
}, async () => {
  const home = await openHome()
  let server = await serveBinary(home.environment)
  const send = await browserOn(server)
  const at = Date.now() + 6000
  const post = { action: 'publish', content: 'c' }
  const soon = { ...post, title: 'Soon', publish_at: new Date(at).toISOString().slice(0, 19) }
  assert.equal((await send(`${manage}/posts/new`, soon)).status, 303)
  const far = { ...post, title: 'Far', publish_at: '9999-12-31T23:59' }
  assert.equal((await send(`${manage}/posts/new`, far)).status, 303)
  assert.deepEqual(await titlesOn(server), [])
  server.signal('SIGKILL')
  await server.ended
  await new Promise((resume) => setTimeout(resume, at - Date.now() + 500))
  server = await serveBinary(home.environment)
  // It is late: the server that starts publishes it at once.
  await until('it is published', async () => (await titlesOn(server)).length > 0)
  server.signal('SIGKILL')
  await server.ended
  server = await serveBinary(home.environment)
  await until('the task has run again', () =>
    server.lines().some(({ message }) => message === 'ready' || message === 'listening'),
  )
  assert.deepEqual(await titlesOn(server), ['Soon'])
  await stopBinary(server)
})

const adminToken = '0123456789abcdef0123456789abcdef01234567'

/** Sends a picture with a thumbnail; gives the paths of both. */
async function sendPicture({ url }: Serving, picture: Buffer, thumbnail: Buffer): Promise<[string, string]> {
  const form = new FormData()
  form.append('title', 'Kept')
  form.append('picture', new Blob([new Uint8Array(picture)]), 'a.png')
  form.append('thumbnail', new Blob([new Uint8Array(thumbnail)]), 'b.png')
  const headers = { authorization: `token ${adminToken}` }
  const sent = await fetch(`${url}/api/media/pictures`, { method: 'POST', body: form, headers })
  assert.equal(sent.status, 201)
  const path = new URL(((await sent.json()) as { url: string }).url).pathname
  return [path, path.replace('/pictures/', '/thumbnails/').replace('.png', '')]
}

const bytesOf = async (address: string) => {
  const response = await fetch(address)
  assert.equal(response.status, 200, address)
  return Buffer.from(await response.arrayBuffer())
}

for (const place of ['a folder', 'an S3-compatible store'] as const) {
  test(`pictures and thumbnails in ${place} survive kill -9, a backup and a restore`, { skip }, async () => {
    const home = await openHome()
    const contents: Environment = place === 'a folder' ? {} : (await openStore()).environment
    const secrets = { SECRET_KEY: secretKey, ADMIN_TOKEN: adminToken }
    const environment = { ...home.environment, ...contents, ...secrets }
    let server = await serveBinary(environment)
    const [picture, thumbnail] = [pngHead(4000, 3000, 300_000).bytes, pngHead(480, 360, 5000).bytes]
    const paths = await sendPicture(server, picture, thumbnail)
    const holdBoth = async () => {
      assert.deepEqual(await bytesOf(server.url + paths[0]), picture)
      assert.deepEqual(await bytesOf(server.url + paths[1]), thumbnail)
    }
    server.signal('SIGKILL')
    await server.ended
    server = await serveBinary(environment)
    await holdBoth()
    await stopBinary(server)
    const file = join(await folderForBackups(), 'backup')
    const made = await runBinary(['backup', file], environment)
    assert.equal(made.code, 0, made.err)
    const empty = { ...(await emptyPlace('postgresql')), ADMIN_PASSWORD: 'a password for tests' }
    const restored = await runBinary(['restore', file], empty)
    assert.equal(restored.code, 0, restored.err)
    const healthy = await runBinary(['doctor'], empty)
    assert.equal(healthy.code, 0, healthy.out + healthy.err)
    server = await serveBinary(empty)
    await holdBoth()
    await stopBinary(server)
  })
}
