import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { printable } from '../../common/printable.ts'
import { type GitCommand, parseGitCommand } from './command.ts'
import { type Conversation, fetchByRequests, fetchByTurns } from './fetch.ts'
import { ClientError, Input } from './input.ts'
import { push } from './push.ts'
import { Server, ServerError } from './server.ts'

/** A word for a shell. */
export const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`

/** What `sshd` gives a program that it starts, and what starts this one. */
interface SshIo {
  args: readonly string[]
  environment: Readonly<Record<string, string | undefined>>
  /** The folder of the server's sockets. */
  folder: string
  /** The command of a shell that starts this program, without `serve`. */
  program: string
  stdin: Readable
  stdout: Writable
  stderr: Writable
  /** Milliseconds for which a client may be silent before it fetches, and before it pushes: its own hooks run then. */
  silence?: { fetch: number; push: number }
}

/**
 * What `sshd` starts (sshd_config(5)): `keys TYPE BASE64` is its `AuthorizedKeysCommand` and prints the line of a known
 * key, whose command `serve FINGERPRINT` serves a git client. Returns the exit code.
 */
export async function runSsh(io: SshIo): Promise<number> {
  const [action, ...words] = io.args
  try {
    if (action === 'keys' && words.length === 2) return await printKey(io, words)
    if (action === 'serve' && words.length === 1) return await serve(io, words[0] ?? '')
    throw new ClientError('sshd starts this: ssh keys TYPE BASE64, or ssh serve FINGERPRINT')
  } catch (error) {
    io.stderr.write(`forgehall: ${printable(sentenceOf(error))}\n`)
    return 1
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof ClientError || error instanceof ServerError) return error.message
  return `the connection has failed: ${error instanceof Error ? error.message : String(error)}`
}

/** Prints nothing for an unknown key. */
async function printKey({ folder, program, stdout }: SshIo, words: readonly string[]): Promise<number> {
  const [type = '', key = ''] = words
  const query = new URLSearchParams({ type, key })
  try {
    const fingerprint = await text(await new Server(folder, {}).send('GET', `/-/ssh/key?${query}`))
    const command = `${program} serve ${fingerprint}`.replace(/"/g, '\\"')
    stdout.write(`restrict,command="${command}" ${type} ${key}\n`)
  } catch (error) {
    if (!(error instanceof ServerError && error.status === 404)) throw error
  }
  return 0
}

async function serve(io: SshIo, fingerprint: string): Promise<number> {
  const { SSH_ORIGINAL_COMMAND: command = '', SSH_CONNECTION, GIT_PROTOCOL } = io.environment
  const server = new Server(io.folder, {
    'Forgehall-Ssh-Key': fingerprint,
    'X-Forwarded-For': SSH_CONNECTION?.split(' ')[0] ?? '',
    ...(GIT_PROTOCOL && /^[\x21-\x7e]{1,200}$/.test(GIT_PROTOCOL) && { 'Git-Protocol': GIT_PROTOCOL }),
  })
  if (command === '') throw new ClientError(await text(await server.send('GET', '/-/ssh/greeting')))
  const asked = parseGitCommand(command)
  if (!asked)
    throw new ClientError("this server runs git-upload-pack and git-receive-pack of 'owner/name.git' only")
  await converse(io, server, asked)
  return 0
}

async function converse(io: SshIo, server: Server, asked: GitCommand): Promise<void> {
  const { silence = { fetch: 60_000, push: 600_000 } } = io
  const { answer, path } = await refsOf(server, asked)
  await pipeline(answer, io.stdout, { end: false })
  const isPush = asked.service === 'git-receive-pack'
  const input = new Input(io.stdin, isPush ? silence.push : silence.fetch)
  const conversation: Conversation = { server, path, input, output: io.stdout }
  if (isPush) return push(conversation)
  const isSecond = io.environment.GIT_PROTOCOL?.split(':').includes('version=2')
  return isSecond ? fetchByRequests(conversation) : fetchByTurns(conversation)
}

/** How often a name may lead to another one. */
const maxRedirects = 3

/** The first answer of a service. A former name of a repository leads to its current one. */
async function refsOf(server: Server, { service, owner, repository }: GitCommand) {
  let path = `/${owner}/${repository}.git`
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const answer = await server.send('GET', `${path}/info/refs?service=${service}`)
    const { statusCode, headers } = answer
    if (statusCode !== 307) return { answer, path }
    answer.resume()
    const [, current] = /(\/[\w.-]+\/[\w.-]+)\/info\/refs/.exec(headers.location ?? '') ?? []
    if (current === undefined) break
    path = current
  }
  throw new ServerError('the repository has moved', 404)
}
