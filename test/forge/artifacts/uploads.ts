import assert from 'node:assert/strict'
import { request } from 'node:http'
import type { Serving } from '../../support/binary.ts'
import { runnerClient } from '../../support/forge/actions.ts'
import { basic } from '../../support/forge/make.ts'
import { until } from '../../support/wait.ts'

/** Uploads of artifacts that go on after what interrupts them: no answer, or 503. */

const asAda = { ...basic('ada'), 'content-type': 'application/json' }
const workflow = 'on: push\njobs: {job: {runs-on: x, steps: [{run: a}]}}'

/** What proves that a job runs, and its run. */
export interface Job {
  token: string
  run: string
}

/** A job of a new repository that a runner has taken and says nothing more of. */
export async function takeJob({ url }: Pick<Serving, 'url'>): Promise<Job> {
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

export const blocks = ['QQ==', 'Qg==', 'Qw==']
const partOf = (name: string, block: string) => `${name} ${block} `.repeat(4000)
const contentOf = (name: string) => blocks.map((block) => partOf(name, block)).join('')

/** An upload, as far as its client knows that the server has acknowledged it. */
export interface Upload {
  name: string
  address?: string
  sent: Set<string>
  /** Whether its end was asked for, with or without an answer. */
  isEnding: boolean
}

export const newUpload = (name: string): Upload => ({ name, sent: new Set(), isEnding: false })

/** There was no answer, or the server said that it cannot serve now. */
export class Interrupted extends Error {}

/** One of the two protocols of artifacts. */
export interface Protocol {
  /** Begins an upload; gives the address for its content. */
  begin: (name: string) => Promise<string>
  /** The request that sends a block. */
  block: (upload: Upload, block: string) => Sent
  /** Ends an upload of which each block is sent. */
  end: (upload: Upload) => Promise<void>
  names: () => Promise<string[]>
  content: (name: string) => Promise<string>
}

interface Sent {
  url: string
  headers: Record<string, string>
  body: string
}

/** Uploads of a job. `urlOf`: of the server as it runs now; addresses are of one that may have ended. */
export function uploadsOf(urlOf: () => string, { token, run }: Job) {
  const authorization = `Bearer ${token}`
  const json = { authorization, 'content-type': 'application/json' }

  async function ask(address: string, init: RequestInit, statuses = [200]) {
    const { pathname, search } = new URL(address, urlOf())
    const { status, text } = await fetch(`${urlOf()}${pathname}${search}`, init).then(
      async (answer) => ({ status: answer.status, text: await answer.text() }),
      (cause: unknown) => {
        throw new Interrupted('there was no answer', { cause })
      },
    )
    if (status === 503) throw new Interrupted(text)
    assert.ok(statuses.includes(status), `${init.method} ${pathname}: ${status} ${text}`)
    return { status, text }
  }
  const call = async (method: string, body: object) => {
    const address = `/twirp/github.actions.results.api.v1.ArtifactService/${method}`
    const sent = JSON.stringify({ workflow_run_backend_id: run, ...body })
    return JSON.parse((await ask(address, { method: 'POST', headers: json, body: sent })).text)
  }

  const v4: Protocol = {
    begin: async (name) => (await call('CreateArtifact', { name, version: 4 })).signedUploadUrl,
    block: ({ name, address }, block) => ({
      url: `${address}&comp=block&blockid=${encodeURIComponent(block)}`,
      headers: {},
      body: partOf(name, block),
    }),
    end: async (upload) => {
      const list = `<BlockList>${blocks.map((id) => `<Latest>${id}</Latest>`).join('')}</BlockList>`
      // If the answer to its end was lost, it is complete, and takes no list.
      const accepted = upload.isEnding ? [201, 404] : [201]
      const init = { method: 'PUT', body: list }
      const { status } = await ask(`${upload.address}&comp=blocklist`, init, accepted)
      upload.isEnding = true
      const size = String(contentOf(upload.name).length)
      if (status === 201) await call('FinalizeArtifact', { name: upload.name, size })
    },
    names: async () => {
      const { artifacts } = await call('ListArtifacts', {})
      return artifacts.map(({ name }: { name: string }) => name)
    },
    content: async (name) => {
      const { signedUrl } = await call('GetSignedArtifactURL', { name })
      return (await ask(signedUrl, { method: 'GET' })).text
    },
  }

  const root = `/api/actions_pipeline/_apis/pipelines/workflows/${run}/artifacts`
  const get = async (address: string) => (await ask(address, { method: 'GET', headers: json })).text
  const listed = async (): Promise<{ name: string; fileContainerResourceUrl: string }[]> =>
    JSON.parse(await get(root)).value
  const v3: Protocol = {
    begin: async (name) => {
      const body = JSON.stringify({ Type: 'actions_storage', Name: name })
      return JSON.parse((await ask(root, { method: 'POST', headers: json, body })).text)
        .fileContainerResourceUrl
    },
    block: ({ name, address }, block) => {
      const [body, first] = [partOf(name, block), blocks.indexOf(block) * partOf(name, block).length]
      const range = `bytes ${first}-${first + body.length - 1}/${contentOf(name).length}`
      return {
        url: `${address}?itemPath=${name}%2Ffile`,
        headers: { authorization, 'content-range': range },
        body,
      }
    },
    end: async (upload) => {
      const init = { method: 'PATCH', headers: json, body: '{"Size":1}' }
      await ask(`${root}?artifactName=${upload.name}`, init)
    },
    names: async () => (await listed()).map(({ name }) => name),
    content: async (name) => {
      const { fileContainerResourceUrl = '' } = (await listed()).find((each) => each.name === name) ?? {}
      const files = JSON.parse(await get(`${fileContainerResourceUrl}?itemPath=${name}`))
      return get(files.value[0].contentLocation)
    },
  }

  /** Goes on with an upload, and sends nothing again that was acknowledged; `onStep` is called after each step. */
  async function carryOn(protocol: Protocol, upload: Upload, onStep: () => void = () => {}): Promise<void> {
    upload.address ??= await protocol.begin(upload.name)
    onStep()
    for (const block of blocks.filter((each) => !upload.sent.has(each))) {
      const { url, headers, body } = protocol.block(upload, block)
      await ask(url, { method: 'PUT', headers, body }, [200, 201])
      upload.sent.add(block)
      onStep()
    }
    await protocol.end(upload)
    onStep()
  }

  /** Sends half of a block; then the client is gone, as when it is killed. */
  async function vanish(protocol: Protocol, upload: Upload, block: string): Promise<void> {
    const { url, headers, body } = protocol.block(upload, block)
    const { pathname, search } = new URL(url, urlOf())
    const sending = request(`${urlOf()}${pathname}${search}`, {
      method: 'PUT',
      headers: { ...headers, 'content-length': body.length },
    })
    const closed = new Promise((resolve) => sending.on('error', () => {}).on('close', resolve))
    await new Promise<void>((resolve) => {
      sending.write(body.slice(0, body.length / 2), () => resolve())
    })
    sending.destroy()
    await closed
  }

  /** Fails unless each of these is listed, and each that is listed has all its content. */
  async function check(protocol: Protocol, acknowledged: Iterable<string>): Promise<void> {
    const names = await protocol.names()
    for (const name of acknowledged) assert.ok(names.includes(name), `${name} was acknowledged`)
    for (const name of names) assert.equal(await protocol.content(name), contentOf(name), name)
  }

  return { v3, v4, carryOn, vanish, check }
}
