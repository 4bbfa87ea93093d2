import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { after } from 'node:test'
import type { HttpLimits, PushRules } from '../../src/git/http/http.ts'
import { flush, packet } from '../../src/git/http/pkt-line.ts'
import { createGit, type GitOptions } from '../../src/git/program/git.ts'
import { Repositories } from '../../src/git/repository/repositories.ts'
import { type GitServer, okOf, serveGit } from './git.ts'
import { until } from './wait.ts'

/** A server whose git writes down each process. */
export interface Watched extends GitServer {
  /** Waits until so many have started. */
  started: (count: number) => Promise<unknown>
  /** Waits until none is left. */
  ended: () => Promise<unknown>
  pids: () => Promise<number[]>
}

let scripts = 0

/** Gives what starts such servers over the repositories below `root`; `before` runs in a shell ahead of git. */
export function watchedIn({ folder, root }: { folder: string; root: string }) {
  return async (
    before = '',
    options: Partial<GitOptions> = {},
    limits: Partial<HttpLimits> = {},
    rules: PushRules = {},
  ): Promise<Watched> => {
    const name = join(folder, `git-${scripts++}`)
    await writeFile(name, `#!/bin/sh\necho $$ >> ${name}.pids\n${before}\nexec git "$@"\n`, { mode: 0o755 })
    const git = createGit({ home: join(folder, 'home'), command: name, ...options })
    after(() => git.close())
    const served = await serveGit(
      { git, repositories: new Repositories(root, git) },
      { limits, rules: () => rules },
    )
    const pids = async () => {
      const text = await readFile(`${name}.pids`, 'utf8').catch(() => '')
      return text.split('\n').filter(Boolean).map(Number)
    }
    const started = (count: number) =>
      until(`${count} have started`, async () => (await pids()).length >= count)
    const ended = () =>
      until('every process of git has ended', async () => !(await pids()).some((pid) => isAlive(pid)))
    return Object.assign(served, { started, ended, pids })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(-pid, 0)
    return true
  } catch {
    return false
  }
}

const ada = { name: 'Ada', email: 'ada@example.com', at: new Date('2026-01-31T08:00:00Z') }

/** A commit by one person on a branch `main`. */
export const commitOf = (files: { path: string; content: string | Buffer }[]) => ({
  branch: 'main',
  author: ada,
  committer: ada,
  message: 'x\n',
  files,
})

/** What asks for all of a commit. */
export const wanting = (id: string) =>
  Buffer.concat([packet(`want ${id} side-band-64k ofs-delta\n`), flush, packet('done\n')])

/** Makes `ada/big`, one commit of 20 MB: more than anything between git and a client holds. */
export async function makeBig(repositories: Repositories) {
  const files = Array.from({ length: 4 }, (_, at) => ({
    path: `blob-${at}`,
    content: randomBytes(5_000_000),
  }))
  const id = okOf(await repositories.createWithCommit({ owner: 'ada', name: 'big' }, commitOf(files)))
  const wants = wanting(id)
  const clone = (url: string, request: Buffer = wants): ClientRequest => {
    const req = begin(url, 'git-upload-pack')
    req.end(request)
    return req
  }
  return { id, wants, clone }
}

let signs = 0

/** A line of shell that holds up the first process and lets the ones after it do `then`; `held` waits until it has. */
export function firstHangs(folder: string, then = '') {
  const sign = join(folder, `first-${signs++}`)
  const held = () => until('the first hangs', () => existsSync(sign))
  return { line: `mkdir ${sign} 2>/dev/null && exec sleep 60\n${then}`, held }
}

/**
 * A request for `ada/big` that is begun and left to the test. It is destroyed at the end: a client that does not read
 * does not notice that the server has closed the connection, and keeps its side open.
 */
export function begin(url: string, service: string, headers: Record<string, string> = {}): ClientRequest {
  const req = request(`${url}/ada/big.git/${service}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': `application/x-${service}-request` },
  })
  req.on('error', () => {})
  after(() => req.destroy())
  return req
}

/** The answer to a request, not yet read. */
export const answerOf = (req: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => req.on('response', resolve).on('error', reject))
