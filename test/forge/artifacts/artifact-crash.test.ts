import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHome, type Serving, serveBinary, stopBinary } from '../../support/binary.ts'
import { runnerClient } from '../../support/forge/actions.ts'
import { basic } from '../../support/forge/make.ts'
import { longest, until } from '../../support/wait.ts'

const home = await openHome()
const environment = { ...home.environment, ADMIN_USERNAME: 'ada', ADMIN_PASSWORD: 'a password for tests' }
const asAda = { ...basic('ada'), 'content-type': 'application/json' }
const workflow = 'on: push\njobs: {job: {runs-on: x, steps: [{run: a}]}}'

/** What proves that a job runs, and its ids as the calls of artifacts have them. */
async function startJob({ url }: Serving) {
  const post = async (path: string, body: object) =>
    (
      await fetch(`${url}/api/v1${path}`, { method: 'POST', headers: asAda, body: JSON.stringify(body) })
    ).json()
  await post('/user/repos', { name: 'tool', auto_init: true })
  await post('/repos/ada/tool/contents/.gitea%2Fworkflows%2Fw.yml', {
    content: Buffer.from(workflow).toString('base64'),
  })
  const { token } = await post('/admin/actions/runners/registration-token', {})
  const { runner } = await runnerClient(url, 'protobuf').register({ name: 'r', token, labels: ['x'] })
  const proof = { 'x-runner-uuid': runner?.uuid ?? '', 'x-runner-token': runner?.token ?? '' }
  const client = runnerClient(url, 'protobuf', proof)
  let context: { gitea_runtime_token?: unknown; run_id?: unknown } | undefined
  await until('there is a job', async () => {
    context = (await client.fetchTask({ tasksVersion: 0n })).task?.context
    return context !== undefined
  })
  return { token: String(context?.gitea_runtime_token), run: String(context?.run_id) }
}

const blocks = ['QQ==', 'Qg==', 'Qw==']
const partOf = (name: string, block: string) => `${name} ${block} `.repeat(4000)
const contentOf = (name: string) => blocks.map((block) => partOf(name, block)).join('')
const list = `<BlockList>${blocks.map((id) => `<Latest>${id}</Latest>`).join('')}</BlockList>`

/** An upload, as far as the server has acknowledged it. */
interface Upload {
  name: string
  address?: string
  sent: Set<string>
  /** Whether its end was asked for, with or without an answer. */
  isEnding: boolean
}

test('after a kill at any step of an upload, each acknowledged block and artifact is there, and nothing half is listed', {
  timeout: longest,
}, async () => {
  let server = await serveBinary(environment)
  const { token, run } = await startJob(server)
  let steps = 0
  const call = (method: string, body: object) =>
    fetch(`${server.url}/twirp/github.actions.results.api.v1.ArtifactService/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ workflow_run_backend_id: run, ...body }),
    })
  const put = async (address: string, query: string, body: string) => {
    const { pathname, search } = new URL(address)
    const sent = await fetch(`${server.url}${pathname}${search}&${query}`, { method: 'PUT', body })
    steps++
    return sent.status
  }
  const acknowledged = new Set<string>()

  /** Goes on with an upload, and sends nothing again that was acknowledged. */
  const carryOn = async (upload: Upload) => {
    if (upload.address === undefined) {
      const created = await call('CreateArtifact', { name: upload.name, version: 4 })
      assert.equal(created.status, 200)
      upload.address = (await created.json()).signedUploadUrl as string
      steps++
    }
    for (const block of blocks.filter((each) => !upload.sent.has(each))) {
      const query = `comp=block&blockid=${encodeURIComponent(block)}`
      assert.equal(await put(upload.address, query, partOf(upload.name, block)), 201)
      upload.sent.add(block)
    }
    const listed = await put(upload.address, 'comp=blocklist', list)
    // The answer to its end was lost: it is complete.
    if (!(upload.isEnding && listed === 404)) {
      assert.equal(listed, 201)
      upload.isEnding = true
      const size = String(contentOf(upload.name).length)
      const finalized = await call('FinalizeArtifact', { name: upload.name, size })
      assert.equal(finalized.status, 200, await finalized.text())
    }
    acknowledged.add(upload.name)
    steps++
  }

  const check = async () => {
    const { artifacts } = await (await call('ListArtifacts', {})).json()
    const names: string[] = artifacts.map(({ name }: { name: string }) => name)
    for (const name of acknowledged) assert.ok(names.includes(name), `${name} was acknowledged`)
    for (const name of names) {
      const { signedUrl } = await (await call('GetSignedArtifactURL', { name })).json()
      const { pathname, search } = new URL(signedUrl)
      const content = await fetch(`${server.url}${pathname}${search}`)
      assert.equal(await content.text(), contentOf(name), name)
    }
  }

  const open: (Upload | undefined)[] = [undefined, undefined, undefined]
  for (let round = 0; round < 3; round++) {
    let isAlive = true
    const work = async (worker: number) => {
      for (let n = 0; isAlive; n++) {
        const upload = open[worker] ?? { name: `${round}-${worker}-${n}`, sent: new Set(), isEnding: false }
        open[worker] = upload
        try {
          await carryOn(upload)
          open[worker] = undefined
        } catch (error) {
          if (isAlive || error instanceof assert.AssertionError) throw error
        }
      }
    }
    // Each round ends at another step of an upload, which has six.
    const end = steps + 18 + round
    const workers = open.map((_, worker) => work(worker))
    await Promise.race([until('some steps are done', () => steps >= end), ...workers])
    isAlive = false
    server.signal('SIGKILL')
    await Promise.all([server.ended, ...workers])
    server = await serveBinary(environment)
    await check()
  }
  assert.ok(acknowledged.size > 3, `${acknowledged.size}`)
  for (const upload of open) if (upload) await carryOn(upload)
  await check()
  await stopBinary(server)
})
