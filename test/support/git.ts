import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { after } from 'node:test'
import { refuseInText } from '../../src/git/http/call.ts'
import {
  createGitHttp,
  type ExchangeResult,
  type HttpLimits,
  type PushRules,
  serviceOf,
} from '../../src/git/http/http.ts'
import { createGit, type Git, type GitOptions } from '../../src/git/program/git.ts'
import { createLauncher } from '../../src/git/program/launcher.ts'
import type { GitOutcome } from '../../src/git/program/outcome.ts'
import { Repositories } from '../../src/git/repository/repositories.ts'
import { listen } from '../../src/http/listener/server.ts'
import { temporaryFolder } from './folder.ts'
import { runProgram } from './processes/program.ts'

/** Git and repositories in a folder of their own. */
export async function gitService(
  options: Partial<GitOptions> = {},
): Promise<{ git: Git; repositories: Repositories; root: string; folder: string }> {
  const folder = await temporaryFolder()
  const git = createGit({ home: join(folder, 'home'), launcher: createLauncher(), ...options })
  after(() => git.close())
  const root = join(folder, 'repositories')
  return { git, repositories: new Repositories(root, git), root, folder }
}

/** The value, or a failed test. */
export function okOf<Value>(outcome: GitOutcome<Value>): Value {
  if (!outcome.ok) throw new Error(`${outcome.fault.kind}: ${outcome.fault.log}`)
  return outcome.value
}

/** The kind of the fault; `none` when there is none. */
export const faultOf = (outcome: GitOutcome<unknown>): string => (outcome.ok ? 'none' : outcome.fault.kind)

export interface Ran {
  code: number
  stdout: string
  stderr: string
}

/** The stock client, as a user's shell would run it, without the configuration of this machine. */
export async function client(cwd: string, ...args: string[]): Promise<Ran> {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: cwd,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
  }
  const { code, stdout, stderr } = await runProgram('git', args, { cwd, env })
  return { code, stdout: stdout.toString('utf8'), stderr }
}

/** `client`, which must succeed; gives its output. */
export async function clientOk(cwd: string, ...args: string[]): Promise<string> {
  const ran = await client(cwd, ...args)
  if (ran.code !== 0) throw new Error(`git ${args.join(' ')}: ${ran.stderr}`)
  return ran.stdout.trim()
}

export interface GitServer {
  /** Address of the repositories: `http://127.0.0.1:port`. */
  url: string
  server: Server
  /** How each exchange went, in order. */
  exchanges: (ExchangeResult & { service: string })[]
  /** What is done when an exchange rejects. */
  failed: (error: unknown, res: ServerResponse) => void
  /** What the client said and sent, in order. */
  heard: { path: string; protocol: string | undefined; encoding: string | undefined }[]
}

/** A server over `src/git/http/http.ts` alone: no user, no permission. */
export async function serveGit(
  { git, repositories }: { git: Git; repositories: Repositories },
  { rules = () => ({}), limits = {} }: { rules?: () => PushRules; limits?: Partial<HttpLimits> } = {},
): Promise<GitServer> {
  const http = createGitHttp(git, limits)
  const exchanges: GitServer['exchanges'] = []
  const heard: GitServer['heard'] = []
  // As the hall has it: a client that ends its side has to be noticed here.
  const server = Object.assign(createServer(), { httpAllowHalfOpen: true })
  const failed: GitServer['failed'] = (error) => {
    throw error
  }
  const served = { url: '', server, exchanges, heard, failed }
  const answer: Parameters<typeof createServer>[1] = async (req, res) => {
    const url = new URL(req.url ?? '/', 'http://localhost')
    heard.push({
      path: url.pathname + url.search,
      protocol: req.headers['git-protocol']?.toString(),
      encoding: req.headers['content-encoding'],
    })
    const [, owner = '', name = '', ...rest] = url.pathname.split('/').map(decodeURIComponent)
    const repository = repositories.path({ owner, name: name.replace(/\.git$/, '') })
    const action = rest.join('/')
    const service = serviceOf(
      action === 'info/refs' ? (url.searchParams.get('service') ?? undefined) : action,
    )
    if (repository === undefined) return void refuseInText(res, 404, 'not found')
    if (service === undefined) return void refuseInText(res, 403, 'please use a newer git')
    const exchange = { service, repository, req, res }
    try {
      const going = action === 'info/refs' ? http.advertise(exchange) : http.serve(exchange, rules())
      exchanges.push({ service, ...(await going) })
    } catch (error) {
      served.failed(error, res)
    }
  }
  server.on('request', answer).on('checkContinue', answer)
  served.url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`
  // Node does not count a connection any more whose request has been answered and whose client is still sending.
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return served
}

export interface Answer {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** A request as no stock client sends it. */
export async function raw(
  url: string,
  path: string,
  { body, ...options }: { method?: string; headers?: Record<string, string>; body?: Buffer } = {},
): Promise<Answer> {
  const response = await fetch(url + path, { ...options, ...(body && { body: new Uint8Array(body) }) })
  const { status, headers } = response
  return { status, headers: Object.fromEntries(headers), body: Buffer.from(await response.arrayBuffer()) }
}

/** `raw` for a service of the repository `ada/<name>`. */
export const post = (
  url: string,
  name: string,
  service: string,
  body: Buffer,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  raw(url, `/ada/${name}.git/${service}`, {
    method: 'POST',
    headers: { 'content-type': `application/x-${service}-request`, ...headers },
    body,
  })
