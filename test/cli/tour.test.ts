import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { binary, openHome, serveBinary, stopBinary } from '../support/binary.ts'
import { until } from '../support/wait.ts'

/** A command of the tour, and the answer that the page shows; a file that it says to save has a name and a text. */
type Step = { command: string; answer: string } | { file: string; content: string }

const missing = ['bash', 'curl', 'git'].find((program) => spawnSync(program, ['--version']).error)

/** In the order of the text. */
function stepsOf(tour: string): Step[] {
  const parts = tour.matchAll(/```console\n(.*?)```|Save this\sas `([^`]+)`.*?```yaml\n(.*?)```/gs)
  return [...parts].flatMap(([, console, file, content]): Step[] =>
    console === undefined ? [{ file: file ?? '', content: content ?? '' }] : commandsOf(console),
  )
}

function commandsOf(block: string): Step[] {
  return block.split(/^\$ /m).flatMap((part) => {
    const [, command, answer] = /^((?:[^\n]*\\\n)*[^\n]+\n)(.*)$/s.exec(part) ?? []
    return command === undefined ? [] : [{ command: command.trim(), answer: (answer ?? '').trim() }]
  })
}

/** Moments and ids differ from run to run; of an answer with headers the first line counts. */
const masked = (answer: string) =>
  answer
    .replaceAll('\r', '')
    .replaceAll(/"(id|sessionId|userId)":\d+/g, '"$1":ID')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'MOMENT')
    .replace(/^(HTTP\/1\.1 [^\n]*)\n.*$/s, '$1')
    .trim()

test('each command of the tour works in its turn, after the examples of the front page, and answers what the page shows', {
  skip: missing && `needs ${missing}`,
}, async () => {
  const home = await openHome({ empty: true })
  const { DATA_DIR: folder = '', ...database } = home.environment
  const settings = { ...database, ADMIN_PASSWORD: 'PASSWORD', WEBHOOK_ALLOWED_HOSTS: 'loopback' }
  const server = await serveBinary(settings, { cwd: folder })
  after(() => server.signal('SIGKILL'))
  await mkdir(join(folder, 'dist'))
  await symlink(binary, join(folder, 'dist', 'forgehall.cjs'))
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`
  // A status of 400 or more is a failure; curl takes only one of the options for that.
  const prelude = ['curl() { [ "$1" = -f ] || set -- --fail-with-body "$@"; command curl -sS "$@"; }']

  const local = (command: string) => command.replaceAll('localhost:3000', new URL(server.url).host)

  async function run(command: string) {
    const script = [...prelude, local(command)].join('\n')
    const child = spawn('bash', ['-c', script], {
      cwd: folder,
      env: { PATH, HOME: folder, ...database },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const said = Promise.all([text(child.stdout), text(child.stderr)])
    const [code] = await once(child, 'close')
    const [out, err] = await said
    return { code, out, err }
  }

  /** What has failed has changed nothing, and some things happen a moment later: so it is tried again for a while. */
  async function follow({ command, answer }: { command: string; answer: string }) {
    let last: Awaited<ReturnType<typeof run>> | undefined
    const works = async () => {
      last = await run(command)
      return last.code === 0 && (answer === '' || masked(last.out) === masked(answer))
    }
    await until(command, works, 10_000).catch(() => {
      assert.fail(`${command}\n${JSON.stringify(last)}\n${answer}`)
    })
    if (/^\w+=/.test(command)) prelude.push(local(command))
  }

  const tour = await readFile('docs/tour.md', 'utf8')
  const steps = stepsOf(tour)
  const shown = tour.match(/^ *\$ /gm) ?? []
  assert.equal(steps.filter((step) => 'command' in step).length, shown.length, 'every command is found')
  assert.equal(steps.length, shown.length + 1, 'and the file that is to be saved')
  // Whoever reads the tour has mostly tried the examples of the front page before.
  for (const step of stepsOf(await readFile('README.md', 'utf8'))) if ('command' in step) await follow(step)
  let seeded = false
  for (const step of steps) {
    // The forge's part works on a server with content, too: its answers show no ids that the reader depends on.
    if ('command' in step && step.command.includes('/api/v1/') && !seeded) {
      seeded = true
      assert.equal((await run('node dist/forgehall.cjs seed')).code, 0)
    }
    if ('command' in step) await follow(step)
    else {
      await mkdir(dirname(join(folder, step.file)), { recursive: true })
      await writeFile(join(folder, step.file), step.content)
    }
  }
  assert.equal((await stopBinary(server)).code, 0)
})
