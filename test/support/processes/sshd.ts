import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '../folder.ts'
import { client, type Ran } from '../git.ts'
import { freePort } from '../port.ts'
import { until } from '../wait.ts'

/** Debian has it in a folder that is not on everybody's path; it starts only by its whole path. */
const program = '/usr/sbin/sshd'

/** Whether OpenSSH is there: its server, its client and its keys. `sshd` without arguments complains. */
export const hasSshd =
  spawnSync(program, ['-?']).error === undefined && spawnSync('ssh-keygen', ['-?']).error === undefined

/** A key of a client. */
export interface ClientKey {
  /** The file of its private part. */
  file: string
  line: string
}

/** An `sshd` of this user with `docs/sshd.conf`. */
export interface Sshd {
  /** `ssh://user@127.0.0.1:port`. */
  url: string
  newKey: () => Promise<ClientKey>
  /** OpenSSH's client with a key, as git takes it (`core.sshCommand`). */
  commandOf: (key: ClientKey) => string
  /** Stock git in a folder, with this key and OpenSSH's client. */
  git: (key: ClientKey, cwd: string, ...args: string[]) => Promise<Ran>
  /** OpenSSH's client alone. */
  ssh: (key: ClientKey, ...command: string[]) => Promise<Ran>
}

/** Starts `sshd` in front of the server that has this data folder, for the tests of this file. */
export async function startSshd(dataDir: string): Promise<Sshd> {
  const folder = await temporaryFolder()
  const port = await freePort()
  const { username } = userInfo()
  let keys = 0
  const newKey = async (): Promise<ClientKey> => {
    const file = join(folder, `key${++keys}`)
    await promisify(execFile)('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file])
    return { file, line: (await readFile(`${file}.pub`, 'utf8')).trim() }
  }
  const host = await newKey()
  const configuration = join(folder, 'sshd_config')
  const shipped = adapt(await readFile('docs/sshd.conf', 'utf8'), { username, dataDir })
  await writeFile(configuration, `${mainFile({ port, host: host.file })}\n${shipped}`)
  // A server of root needs this folder, which the service of the system makes.
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true })
  const child = spawn(program, ['-D', '-e', '-f', configuration], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const ended = once(child, 'exit')
  after(async () => {
    child.kill()
    await ended
  })
  await until('sshd listens', () => {
    if (child.exitCode !== null) throw new Error(`sshd has ended: ${said}`)
    return said.includes('Server listening')
  })
  const options = (key: ClientKey) =>
    [
      '-F',
      'none',
      '-i',
      key.file,
      '-o',
      'IdentitiesOnly=yes',
      '-o',
      'IdentityAgent=none',
      '-o',
      'BatchMode=yes',
    ].concat('-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-o', 'LogLevel=ERROR')
  const run = promisify(execFile)
  const commandOf = (key: ClientKey) => `ssh ${options(key).join(' ')}`
  return {
    url: `ssh://${username}@127.0.0.1:${port}`,
    newKey,
    commandOf,
    git: (key, cwd, ...args) => client(cwd, '-c', `core.sshCommand=${commandOf(key)}`, ...args),
    ssh: (key, ...command) =>
      run('ssh', [...options(key), '-p', String(port), `${username}@127.0.0.1`, ...command]).then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
      ),
  }
}

/** Only the user and paths are replaced; each must be there. `sshd` starts programs of root alone, such as `env`. */
function adapt(shipped: string, { username, dataDir }: { username: string; dataDir: string }): string {
  const replacements = [
    ['Match User git', `Match User ${username}`],
    ['/usr/bin/node', `/usr/bin/env ${process.execPath}`],
    ['/var/lib/forgehall', dataDir],
    ['AuthorizedKeysCommandUser git', `AuthorizedKeysCommandUser ${username}`],
  ] as const
  return replacements.reduce((text, [old, own]) => {
    if (!text.includes(old)) throw new Error(`docs/sshd.conf has no ${old}`)
    return text.replace(old, own)
  }, shipped)
}

const mainFile = ({ port, host }: { port: number; host: string }) => `
ListenAddress 127.0.0.1
Port ${port}
HostKey ${host}
PidFile none
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no`
