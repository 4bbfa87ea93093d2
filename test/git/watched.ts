import { readFile, writeFile } from 'node:fs/promises'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { after } from 'node:test'
import { createGit, type GitOptions } from '../../src/git/git.ts'
import type { HttpLimits, PushRules } from '../../src/git/http.ts'
import { createRepositories } from '../../src/git/repositories.ts'
import { until } from '../support/wait.ts'
import { type GitServer, serveGit } from './support.ts'

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
      { git, repositories: createRepositories(root, git) },
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

/** A request for `ada/big` that is begun and left to the test. */
export function begin(url: string, service: string, headers: Record<string, string> = {}): ClientRequest {
  const req = request(`${url}/ada/big.git/${service}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': `application/x-${service}-request` },
  })
  req.on('error', () => {})
  return req
}

/** The answer to a request, not yet read. */
export const answerOf = (req: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => req.on('response', resolve).on('error', reject))
