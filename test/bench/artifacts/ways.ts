import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inParallel } from '../../../src/common/in-parallel.ts'
import { runnerClient } from '../../support/forge/actions.ts'
import { until } from '../../support/wait.ts'
import type { BenchContext } from '../support/bench.ts'
import type { Child } from '../support/child.ts'
import type { Forge } from '../support/forge.ts'
import { git, push } from '../support/git.ts'
import { processCpu } from '../support/process.ts'

/** Artifacts of a job as the public actions send and fetch them. */

/** What the runner of the bench registers with. */
export const RUNNER_TOKEN = 'what-the-runner-of-the-bench-registers-with'

/** Blocks that are sent at one time, as the public action does (v4); pieces of a file come one after the other (v3). */
export const atOnce = { v4: 10, v3: 1 }

/** Bytes to keep, and their checksum, which the public action computes while it sends them (v4). */
export interface Content {
  blocks: readonly Buffer<ArrayBuffer>[]
  sha256: string
}

export function contentOf(blocks: Content['blocks']): Content {
  const hash = createHash('sha256')
  for (const block of blocks) hash.update(block)
  return { blocks, sha256: hash.digest('hex') }
}

/** One way to keep blocks and to get them back. */
export interface Way {
  name: string
  /** Seconds of processor time that it has used. */
  used: () => number
  send: (name: string, content: Content) => Promise<void>
  /** Reads all, keeps nothing, and gives the number of bytes. */
  fetch: (name: string) => Promise<number>
}

/** A running job, as its steps see it. */
export interface Job {
  authorization: string
  run: string
}

/** Pushes a workflow, and takes its job as a runner. */
export async function startJob(context: BenchContext, forge: Forge): Promise<Job> {
  const folder = join(context.folder, 'work-artifacts')
  mkdirSync(join(folder, '.gitea', 'workflows'), { recursive: true })
  writeFileSync(
    join(folder, '.gitea', 'workflows', 'ci.yml'),
    'on: push\njobs: {keep: {runs-on: bench, steps: [{run: make}]}}\n',
  )
  await forge.call('POST', '/api/v1/user/repos', 201, { name: 'artifacts' })
  await git(folder, 'init', '-q', '-b', 'main')
  await git(folder, 'add', '.')
  await git(folder, 'commit', '-qm', 'Keep something')
  await push(folder, forge, 'artifacts')
  const wish = { name: 'bench', token: RUNNER_TOKEN, labels: ['bench'], version: 'v3.3.0' }
  const { runner } = await runnerClient(forge.url, 'protobuf').register(wish)
  const proof = { 'x-runner-uuid': runner?.uuid ?? '', 'x-runner-token': runner?.token ?? '' }
  const client = runnerClient(forge.url, 'protobuf', proof)
  let seen: Readonly<Record<string, unknown>> | undefined
  await until('there is a job', async () => {
    seen = (await client.fetchTask({ tasksVersion: 0n })).task?.context
    return seen !== undefined
  })
  return { authorization: `Bearer ${String(seen?.gitea_runtime_token)}`, run: String(seen?.run_id) }
}

/** Sends a request; gives its answer. @throws Error at a refusal */
async function ask(url: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init)
  if (!answer.ok)
    throw new Error(`${init.method} ${new URL(url).pathname}: ${answer.status} ${await answer.text()}`)
  return answer
}

/** Reads a body, keeps nothing, and gives the number of its bytes. */
async function lengthOf({ body }: Response): Promise<number> {
  let bytes = 0
  for await (const chunk of body ?? []) bytes += chunk.length
  return bytes
}

/** The limit: node:http takes and gives the same bytes, so many blocks at a time, and keeps nothing. */
export function bareHttp({ port, pid }: Child, count: number): Way {
  const url = `http://127.0.0.1:${port}`
  let size = 0
  return {
    name: `bare node:http, ${count} at a time`,
    used: () => processCpu(pid) ?? Number.NaN,
    send: async (_, { blocks }) => {
      size = blocks.reduce((sum, { length }) => sum + length, 0)
      await inParallel(
        count,
        blocks,
        async (body) => void (await (await ask(`${url}/1`, { method: 'PUT', body })).arrayBuffer()),
      )
    },
    fetch: async () => lengthOf(await ask(`${url}/${size}`, { method: 'GET' })),
  }
}

export function v4({ url, child }: Forge, { authorization, run }: Job): Way {
  const call = async (method: string, body: object): Promise<Readonly<Record<string, string>>> => {
    const answer = await ask(`${url}/twirp/github.actions.results.api.v1.ArtifactService/${method}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ workflow_run_backend_id: run, ...body }),
    })
    return answer.json()
  }
  return {
    name: 'v4',
    used: () => processCpu(child.pid) ?? Number.NaN,
    send: async (name, { blocks, sha256 }) => {
      const { signedUploadUrl = '' } = await call('CreateArtifact', { name, version: 4 })
      const put = async (query: string, body: Buffer<ArrayBuffer> | string) =>
        void (await (await ask(`${signedUploadUrl}&${query}`, { method: 'PUT', body })).arrayBuffer())
      await inParallel(atOnce.v4, blocks, (block, at) => put(`comp=block&blockid=${at}`, block))
      const list = blocks.map((_, at) => `<Latest>${at}</Latest>`).join('')
      await put('comp=blocklist', `<BlockList>${list}</BlockList>`)
      const size = blocks.reduce((sum, { length }) => sum + length, 0)
      await call('FinalizeArtifact', { name, size: String(size), hash: `sha256:${sha256}` })
    },
    fetch: async (name) => {
      const { signedUrl = '' } = await call('GetSignedArtifactURL', { name })
      return lengthOf(await ask(signedUrl, { method: 'GET' }))
    },
  }
}

export function v3({ url, child }: Forge, { authorization, run }: Job): Way {
  const root = `${url}/api/actions_pipeline/_apis/pipelines/workflows/${run}/artifacts`
  const json = { authorization, 'content-type': 'application/json' }
  return {
    name: 'v3',
    used: () => processCpu(child.pid) ?? Number.NaN,
    send: async (round, { blocks }) => {
      const name = `files-${round}`
      const body = JSON.stringify({ Type: 'actions_storage', Name: name })
      const created = await ask(root, { method: 'POST', headers: json, body })
      const { fileContainerResourceUrl } = (await created.json()) as { fileContainerResourceUrl: string }
      const size = blocks.reduce((sum, { length }) => sum + length, 0)
      let first = 0
      for (const block of blocks) {
        const range = `bytes ${first}-${first + block.length - 1}/${size}`
        await ask(`${fileContainerResourceUrl}?itemPath=${name}%2Ffile`, {
          method: 'PUT',
          headers: { authorization, 'content-range': range },
          body: block,
        })
        first += block.length
      }
      const whole = JSON.stringify({ Size: size })
      await ask(`${root}?artifactName=${name}`, { method: 'PATCH', headers: json, body: whole })
    },
    fetch: async (round) => {
      const name = `files-${round}`
      const listed = await ask(root, { method: 'GET', headers: { authorization } })
      const { value } = (await listed.json()) as {
        value: { name: string; fileContainerResourceUrl: string }[]
      }
      const address = value.find((each) => each.name === name)?.fileContainerResourceUrl ?? ''
      const files = await ask(`${address}?itemPath=${name}`, { method: 'GET', headers: { authorization } })
      const { value: items } = (await files.json()) as { value: { contentLocation: string }[] }
      return lengthOf(
        await ask(items[0]?.contentLocation ?? '', { method: 'GET', headers: { authorization } }),
      )
    },
  }
}
