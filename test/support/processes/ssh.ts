import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after } from 'node:test'
import { openSshSocket } from '../../../src/cli/serve/ssh-socket.ts'
import { stop } from '../../../src/http/listener/server.ts'
import { createLog } from '../../../src/log.ts'
import type { TestApp } from '../app.ts'
import type { Somebody } from '../forge/make.ts'
import { newKeyLine } from '../forge/ssh-key.ts'
import { client, type Ran } from '../git.ts'

/** Git over SSH to an app, without `sshd`: git starts what `sshd` would start for a key. */
export interface SshService {
  folder: string
  /** The program that `sshd` starts. */
  program: string
  /** Stock git in a folder, with this key. */
  git: (fingerprint: string, cwd: string, ...args: string[]) => Promise<Ran>
  /** A process for one connection; `command` is what the client asks for. */
  connect: (fingerprint: string, command: string, more?: Record<string, string>) => Connection
  /** Adds a key to a user; gives its fingerprint and id. */
  addKey: (owner: Somebody) => Promise<{ fingerprint: string; id: number; line: string }>
}

export type Connection = ReturnType<typeof run>

/** Opens the socket of an app whose data folder this is. */
export async function serveSsh({ app, call, log }: TestApp, dataDir: string): Promise<SshService> {
  const server = await openSshSocket({ config: { dataDir }, app, log: createLog('debug', log) }, 1)
  after(() => stop(server, 1000))
  const folder = join(dataDir, 'ssh')
  const program = join(folder, 'program.cjs')
  const script = join(dataDir, 'as-ssh')
  const start = `SSH_ORIGINAL_COMMAND="$last" exec "${process.execPath}" "${program}" serve "$FINGERPRINT"`
  await writeFile(script, `#!/bin/sh\nfor last; do :; done\n${start}\n`, { mode: 0o700 })
  let keys = 0
  return {
    folder,
    program,
    git: (fingerprint, cwd, ...args) => {
      const command = `core.sshCommand=FINGERPRINT='${fingerprint}' '${script}'`
      return client(cwd, '-c', 'ssh.variant=ssh', '-c', command, ...args)
    },
    connect: (fingerprint, command, more = {}) =>
      run([program, 'serve', fingerprint], { SSH_ORIGINAL_COMMAND: command, ...more }),
    addKey: async (owner) => {
      const line = newKeyLine()
      const body = { title: `key ${++keys}`, key: line }
      const { id, fingerprint } = (await call('POST /api/v1/user/keys', { as: owner, body })).body
      return { id, fingerprint, line }
    },
  }
}

/** Starts a script of node; `ended` has what it has written. */
export function run(args: readonly string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, ...environment } })
  const chunks: Buffer[] = []
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  child.stdin.on('error', () => {})
  const ended = once(child, 'close').then(([code]) => ({
    code: Number(code),
    out: Buffer.concat(chunks).toString('latin1'),
    err: stderr.trim(),
  }))
  return { child, stdin: child.stdin, out: () => Buffer.concat(chunks), ended }
}
