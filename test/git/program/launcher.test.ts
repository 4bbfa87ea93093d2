import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { open, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { createLauncher, type Launcher } from '../../../src/git/program/launcher.ts'
import { openNameless } from '../../../src/git/program/nameless-file.ts'
import type { Started } from '../../../src/git/program/spawn.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { childrenOf } from '../../support/processes/tree.ts'
import { until } from '../../support/wait.ts'

const folder = await temporaryFolder()
const launcher = createLauncher()
after(() => launcher.close())

/** Starts a shell. */
const shell = (script: string, connections = {}) =>
  launcher.launch(
    {
      command: 'sh',
      args: ['-c', script],
      folder,
      environment: { PATH: process.env.PATH ?? '' },
      niced: false,
    },
    connections,
  )

async function outputOf({ stdout }: Started): Promise<string> {
  let text = ''
  for await (const chunk of stdout) text += chunk
  return text
}

/** The process ids of the launchers of this process. */
async function launchers(): Promise<number[]> {
  const isLauncher = async (pid: number) =>
    /\0-\0$/.test(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''))
  const all = await childrenOf(process.pid)
  const those = await Promise.all(all.map(isLauncher))
  return all.filter((_, at) => those[at])
}

/** Starts the launcher and gives its process id. */
async function startedLauncher({ launch }: Launcher): Promise<number> {
  const before = await launchers()
  const started = launch({ command: 'true', args: [], folder, environment: {}, niced: false }, {})
  assert.equal((await started.exit).code, 0)
  const [pid] = (await launchers()).filter((each) => !before.includes(each))
  assert.ok(pid !== undefined)
  return pid
}

const launcherPid = await startedLauncher(launcher)

test('input, output, the end of standard error and the status are as for a child process', async () => {
  const started = shell('cat; echo last words >&2; exit 3')
  started.stdin.write('one ')
  setTimeout(() => started.stdin.end('two'), 50)
  assert.equal(await outputOf(started), 'one two')
  assert.deepEqual(await started.exit, { code: 3, signal: null, stderr: 'last words' })
})

test('megabytes go through in both directions, at the speed of the reader', async () => {
  const started = shell('cat')
  const sent = Buffer.alloc(20_000_000, 'x')
  started.stdin.end(sent)
  let received = 0
  for await (const chunk of started.stdout) received += chunk.length
  assert.equal(received, sent.length)
  assert.equal((await started.exit).code, 0)
})

test('a process that ends before it has read its input still says what it has to say', async () => {
  const started = shell('printf refused; exit 1')
  started.stdin.on('error', () => {})
  started.stdin.write(Buffer.alloc(5_000_000))
  assert.equal((await Promise.all([outputOf(started), started.exit]))[0], 'refused')
})

test('output goes into a file of this process that has no name', async () => {
  const file = openNameless(folder)
  assert.ok(file !== undefined)
  const started = shell('printf written', { file })
  started.stdin.end()
  assert.equal((await started.exit).code, 0)
  assert.equal(await readFile(`/proc/self/fd/${file}`, 'utf8'), 'written')
})

test('output never goes into a file that has a name', async () => {
  const path = join(folder, 'named')
  const named = await open(path, 'wx+')
  const { error } = await shell('printf written', { file: named.fd }).exit
  assert.match(error?.message ?? '', /has a name/)
  assert.equal(await readFile(path, 'utf8'), '')
  await named.close()
})

test('a missing program is reported as missing, whatever its input', async () => {
  const started = launcher.launch({ command: 'nowhere', args: [], folder, environment: {}, niced: false }, {})
  started.stdin.on('error', () => {}).end(Buffer.alloc(1_000_000))
  assert.equal((await started.exit).error?.code, 'ENOENT')
})

test('a hook asks, gets its answer, and an end when there is none', async () => {
  const ask = 'echo "ask $0" >&3; read -r line <&3 && echo "got $line" || echo nothing'
  const answered = shell(ask, { answer: async (question: string) => `${question.trim()}: yes` })
  assert.match(await outputOf(answered), /^got ask .*: yes\n$/)
  for (const answer of [async () => undefined, () => Promise.reject(new Error('lost'))])
    assert.equal(await outputOf(shell(ask, { answer })), 'nothing\n')
})

test('who does not know the secret starts nothing', async () => {
  const { stdout } = await promisify(execFile)('grep', ['-a', 'forgehall-', '/proc/net/unix'])
  const names = stdout.split('\n').flatMap((line) => /@(forgehall-[\w-]+)/.exec(line)?.[1] ?? [])
  assert.ok(names.length > 0)
  for (const name of new Set(names)) {
    const socket = connect({ path: `\0${name}` })
    socket.on('error', () => {}).write('00000000-0000-0000-0000-000000000000 1 input\n')
    await new Promise((resolve) => socket.once('close', resolve).resume())
  }
  assert.equal(await outputOf(shell('echo still here')), 'still here\n')
})

test('signals of the service manager or a terminal do not end the launcher', async () => {
  await outputOf(shell('true'))
  const before = await launchers()
  for (const pid of before)
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(pid, name)
  assert.equal(await outputOf(shell('echo still here')), 'still here\n')
  assert.deepEqual(await launchers(), before)
})

test('when the launcher is killed, its processes are ended, and the next start has another one', async () => {
  const script = `trap '' TERM; echo $$ > ${join(folder, 'pid')}; while :; do sleep 1; done`
  const started = shell(script)
  await until('it runs', async () => (await readFile(join(folder, 'pid'), 'utf8').catch(() => '')) !== '')
  const pid = Number(await readFile(join(folder, 'pid'), 'utf8'))
  process.kill(launcherPid, 'SIGKILL')
  assert.match((await started.exit).error?.message ?? '', /has ended/)
  assert.throws(() => process.kill(pid, 0))
  assert.equal(await outputOf(shell('echo again')), 'again\n')
})

test('a process that is aborted before its start is never started', async () => {
  const other = createLauncher()
  const started = other.launch(
    { command: 'touch', args: [join(folder, 'touched')], folder, environment: {}, niced: false },
    {},
  )
  started.stdin.destroy()
  started.stdout.destroy()
  assert.ok((await started.exit).error)
  other.close()
  await assert.rejects(readFile(join(folder, 'touched')))
})

test('the launcher ends when it is closed', async () => {
  const other = createLauncher()
  const pid = await startedLauncher(other)
  other.close()
  await until('it has ended', async () => !(await launchers()).includes(pid))
})
