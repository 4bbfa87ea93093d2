import assert from 'node:assert/strict'
import { mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createGit } from '../../../src/git/program/git.ts'
import { createLauncher, type Launcher } from '../../../src/git/program/launcher.ts'
import { createQueues } from '../../../src/git/program/queues.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { clientOk, faultOf, gitService, okOf } from '../../support/git.ts'
import { turns, until } from '../../support/wait.ts'

const { folder } = await gitService()

/** The ways to start git. */
const launchers: Readonly<Record<string, () => Launcher | undefined>> = {
  'this process': () => undefined,
  'a launcher': createLauncher,
}

/** A stand-in for git: a shell script. */
async function script(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  return path
}

/** Whether a process is there. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

for (const [starter, launcher] of Object.entries(launchers)) {
  const git = createGit({ launcher: launcher(), home: join(folder, 'home') })
  after(() => git.close())

  test(`the git of this machine is found usable, with its version, started by ${starter}`, async () => {
    const found = await git.check()
    assert.ok(found.usable)
    assert.match(found.version, /^2\.\d+/)
    assert.equal(found.sentence, `git ${found.version}`)
  })

  test(`a git that is missing, too old or something else is a sentence, started by ${starter}`, async () => {
    const sentences: Record<string, RegExp> = {
      [join(folder, 'nowhere')]: /without the git program: it was not found/,
      [await script('old', 'echo git version 2.33.9')]:
        /2\.34 or newer is needed for repositories; this is 2\.33\.9/,
      [await script('other', 'echo hello')]: /this is unknown/,
    }
    for (const [command, sentence] of Object.entries(sentences)) {
      const found = await createGit({ launcher: launcher(), home: join(folder, 'home'), command }).check()
      assert.equal(found.usable, false)
      assert.match(found.sentence, sentence)
    }
  })

  test(`git gets an environment of our own, whatever the server was started with, started by ${starter}`, async () => {
    const command = await script('env', 'env')
    process.env.GIT_DIR = '/somewhere/else'
    process.env.GIT_TRACE = '1'
    process.env.LD_PRELOAD_OF_MINE = 'x'
    const seen = okOf(
      await createGit({ launcher: launcher(), home: join(folder, 'env-home'), command }).run(folder, []),
    ).toString()
    delete process.env.GIT_DIR
    delete process.env.GIT_TRACE
    delete process.env.LD_PRELOAD_OF_MINE
    assert.match(seen, /^GIT_DIR=\.$/m)
    assert.match(seen, new RegExp(`^HOME=${join(folder, 'env-home')}$`, 'm'))
    assert.doesNotMatch(seen, /GIT_TRACE|LD_PRELOAD/)
  })

  test(`a run outside of any repository never finds one above it, started by ${starter}`, async () => {
    await clientOk(folder, 'init', '-q', '.')
    await mkdir(join(folder, 'inner'), { recursive: true })
    assert.equal(faultOf(await git.run(join(folder, 'inner'), ['rev-parse', '--git-dir'])), 'failed')
  })

  test(`programs that the configuration of a repository names are not run, started by ${starter}`, async () => {
    const path = join(folder, 'armed.git')
    await clientOk(folder, 'init', '-q', '--bare', path)
    const trap = await script('trap', `echo sprung >> ${join(folder, 'sprung')}`)
    await writeFile(join(path, 'hooks', 'reference-transaction'), await readFile(trap), { mode: 0o755 })
    for (const name of ['core.fsmonitor', 'core.alternateRefsCommand', 'core.pager', 'core.sshCommand']) {
      await clientOk(path, 'config', name, trap)
    }
    const tree = okOf(await git.run(path, ['hash-object', '-w', '-t', 'tree', '--stdin'], { input: '' }))
    const words = `tree ${tree}author A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nx\n`
    const id = okOf(await git.run(path, ['hash-object', '-w', '-t', 'commit', '--stdin'], { input: words }))
    okOf(await git.run(path, ['update-ref', 'refs/heads/main', id.toString().trim()]))
    await assert.rejects(readFile(join(folder, 'sprung')), { code: 'ENOENT' })
  })

  test(`a folder that is not there is told from a program that is not there, started by ${starter}`, async () => {
    assert.equal(faultOf(await git.run(join(folder, 'absent'), ['version'])), 'gone')
    const without = createGit({
      launcher: launcher(),
      home: join(folder, 'home'),
      command: join(folder, 'absent'),
    })
    assert.equal(faultOf(await without.run(folder, ['version'])), 'missing')
  })

  test(`a home that cannot be written is a fault, not an exception, started by ${starter}`, async () => {
    await writeFile(join(folder, 'file'), '')
    assert.equal(
      faultOf(
        await createGit({ launcher: launcher(), home: join(folder, 'file', 'home') }).run(folder, [
          'version',
        ]),
      ),
      'failed',
    )
  })

  test(`a run that takes too long is ended with all that it started, started by ${starter}`, async () => {
    const command = await script('slow', 'sleep 60 &\necho $! > "$HOME/pid"\nwait')
    const home = join(folder, 'slow-home')
    const slow = createGit({
      launcher: launcher(),
      home,
      command,
      milliseconds: { short: 300, long: 300 },
    })
    assert.equal(faultOf(await slow.run(folder, ['x'])), 'late')
    const pid = Number(await readFile(join(home, 'pid'), 'utf8'))
    await until('the grandchild has ended', () => !isAlive(pid))
  })

  test(`a run that ignores the first signal is killed, started by ${starter}`, async () => {
    const command = await script('deaf', "trap '' TERM\nwhile :; do sleep 1; done")
    const deaf = createGit({
      launcher: launcher(),
      home: join(folder, 'home'),
      command,
      milliseconds: { short: 100, long: 100 },
    })
    assert.equal(faultOf(await deaf.run(folder, ['x'])), 'late')
  })

  test(`a signal of the caller ends a run, and one in the queue, started by ${starter}`, async () => {
    const command = await script('sleeper', 'exec sleep 60')
    const short = { atOnce: 1, waiting: 1 }
    const sleeper = createGit({ launcher: launcher(), home: join(folder, 'home'), command, short })
    const first = new AbortController()
    const second = new AbortController()
    const running = sleeper.run(folder, ['x'], { signal: first.signal })
    const waiting = sleeper.run(folder, ['x'], { signal: second.signal })
    // Both are under way when a third finds no room.
    await until(
      'full',
      async () => faultOf(await sleeper.run(folder, ['x'], { signal: AbortSignal.timeout(5000) })) === 'busy',
    )
    second.abort()
    assert.equal(faultOf(await waiting), 'cancelled')
    first.abort()
    assert.equal(faultOf(await running), 'cancelled')
    assert.equal(faultOf(await sleeper.run(folder, ['x'], { signal: first.signal })), 'cancelled')
  })

  test(`closing ends what runs and starts nothing more, started by ${starter}`, async () => {
    const command = await script('sleeper', 'exec sleep 60')
    const sleeper = createGit({ launcher: launcher(), home: join(folder, 'home'), command })
    const running = sleeper.run(folder, ['x'])
    sleeper.close()
    assert.equal(faultOf(await running), 'cancelled')
    assert.equal(faultOf(await sleeper.run(folder, ['x'])), 'cancelled')
  })

  test(`output beyond what was allowed is a fault or an end, and git stops, started by ${starter}`, async () => {
    const endless = createGit({
      launcher: launcher(),
      home: join(folder, 'home'),
      command: await script('endless', 'yes'),
    })
    assert.equal(faultOf(await endless.run(folder, [], { maxBytes: 1000 })), 'large')
    assert.equal(okOf(await endless.run(folder, [], { maxBytes: 1000, truncate: true })).length, 1000)
  })

  test(`what git says when it fails is kept to its end, started by ${starter}`, async () => {
    const command = await script('loud', 'yes noise | head -c 1000000 >&2; echo last words >&2; exit 3')
    const loud = await createGit({ launcher: launcher(), home: join(folder, 'home'), command }).run(folder, [
      'x',
    ])
    assert.ok(!loud.ok)
    assert.match(loud.fault.log, /^git x ended with 3: /)
    assert.match(loud.fault.log, /last words$/)
    assert.ok(loud.fault.log.length < 5000)
  })

  test(`a disk without a place is told from other failures, started by ${starter}`, async () => {
    const command = await script('full', 'echo "fatal: write error: No space left on device" >&2; exit 128')
    assert.equal(
      faultOf(
        await createGit({ launcher: launcher(), home: join(folder, 'home'), command }).run(folder, ['x']),
      ),
      'full',
    )
  })

  test(`an argument that no program can be given is a fault, and keeps no place, started by ${starter}`, async () => {
    const one = createGit({
      launcher: launcher(),
      home: join(folder, 'home'),
      short: { atOnce: 1, waiting: 0 },
    })
    for (let time = 0; time < 3; time++) assert.equal(faultOf(await one.run(folder, ['a\0b'])), 'failed')
    okOf(await one.run(folder, ['version']))
  })

  test(`each kind of run has its limits of memory and time, started by ${starter}`, async () => {
    const command = await script('limits', 'echo "$(ulimit -d) $(ulimit -St)"')
    const [mebi, home] = [1024 * 1024, join(folder, 'home')]
    const memory = { short: 64 * mebi, long: 128 * mebi }
    const milliseconds = { short: 30_000, long: 60_000 }
    const bounded = createGit({ launcher: launcher(), home, command, memory, milliseconds })
    after(() => bounded.close())
    assert.equal(okOf(await bounded.run(folder, [])).toString(), '65536 unlimited\n')
    for (const [kind, limits] of [
      ['refs', '65536 unlimited'],
      ['text', '65536 30'],
      ['archive', '65536 unlimited'],
      ['long', '131072 unlimited'],
    ] as const) {
      const { chunks, ended } = okOf(await bounded.stream(folder, [], { kind }))
      await chunks(async (chunk) => assert.equal(chunk.toString(), `${limits}\n`))
      assert.equal((await ended).ok, true)
    }
  })

  test(`a run that needs more memory or processor time than it may is told from a failure, started by ${starter}`, async () => {
    const home = join(folder, 'home')
    for (const [text, kind] of [
      ['echo "fatal: Out of memory, malloc failed (tried to allocate 9 bytes)" >&2; exit 128', 'heavy'],
      ['kill -XCPU $$', 'late'],
    ] as const) {
      const command = await script(kind, text)
      assert.equal(faultOf(await createGit({ launcher: launcher(), home, command }).run(folder, ['x'])), kind)
    }
  })

  test(`a repository that is removed while git reads it is gone, started by ${starter}`, async () => {
    const home = join(folder, 'home')
    const command = await script('removing', 'rm -r "$PWD"; echo "fatal: bad object" >&2; exit 128')
    const removed = await temporaryFolder()
    assert.equal(
      faultOf(await createGit({ launcher: launcher(), home, command }).run(removed, ['x'])),
      'gone',
    )
  })

  test(`no more runs at once than there are places, started by ${starter}`, async () => {
    const home = await temporaryFolder()
    const command = await script('counted', 'echo + >> "$HOME/log"\nsleep 0.3\necho - >> "$HOME/log"')
    const counted = createGit({ launcher: launcher(), home, command, short: { atOnce: 3, waiting: 100 } })
    await Promise.all(Array.from({ length: 12 }, () => counted.run(folder, ['x'])))
    let now = 0
    let most = 0
    for (const mark of (await readFile(join(home, 'log'), 'utf8')).trim().split('\n')) {
      now += mark === '+' ? 1 : -1
      most = Math.max(most, now)
    }
    assert.equal(now, 0)
    assert.equal(most, 3)
  })
}

test('a hook that is there is left alone: another process may be running it', async () => {
  const home = await temporaryFolder()
  const path = join(home, 'hooks', 'pre-receive')
  const prepare = () => createGit({ home }).run(folder, ['version'])
  okOf(await prepare())
  const first = await stat(path)
  okOf(await prepare())
  const second = await stat(path)
  assert.deepEqual([second.ino, second.mtimeMs], [first.ino, first.mtimeMs])
  const descriptor = await open(path)
  await writeFile(path, '#!/bin/sh\n')
  okOf(await prepare())
  // It is replaced, not written to: who has opened the old one still reads that.
  assert.equal(await descriptor.readFile('utf8'), '#!/bin/sh\n')
  await descriptor.close()
  assert.equal(await readFile(path, 'utf8').then((text) => text.length > 100), true)
  assert.deepEqual(await readdir(join(home, 'hooks')), ['pre-receive'])
})

test('places go to the longest waiting, and one that gave up takes none', async () => {
  const places = createQueues({ short: { atOnce: 1, waiting: 3 } }).short
  const place = await places.acquire()
  assert.ok(typeof place === 'object')
  const order: string[] = []
  const giveUp = new AbortController()
  const enter = async (name: string, signal?: AbortSignal) => {
    const entered = await places.acquire({ signal })
    order.push(typeof entered === 'object' ? name : `${name} ${entered}`)
    if (typeof entered === 'object') entered.release()
  }
  const all = [enter('a'), enter('b', giveUp.signal), enter('c')]
  assert.equal(await places.acquire(), 'busy')
  giveUp.abort()
  place.release()
  place.release()
  await Promise.all(all)
  assert.deepEqual(order, ['b cancelled', 'a', 'c'])
  const last = await places.acquire()
  assert.ok(typeof last === 'object')
  last.release()
})

test('one client gets its share of the places, and runs of slow clients leave theirs', async () => {
  const long = { atOnce: 1, running: 3, waiting: 9, perClient: 2 }
  const queue = createQueues({ long, slow: { atOnce: 2, perClient: 1 } }).long
  const enter = async (client: string) => {
    const slot = await queue.acquire({ keys: [client] })
    if (typeof slot === 'string') throw new Error(slot)
    slot.yieldSlot()
    return slot
  }
  const entered = (client: string) => {
    const state = { slot: undefined as Awaited<ReturnType<typeof enter>> | undefined }
    void enter(client).then((slot) => Object.assign(state, { slot }))
    return state
  }
  const [first, second] = [await enter('a'), await enter('a')]
  const third = entered('a')
  const other = await enter('b')
  await turns()
  assert.equal(third.slot, undefined)
  first.leavePlace()
  await turns()
  assert.ok(third.slot)
  // The slow runs of this client have their share; a slow run of another one has room.
  second.leavePlace()
  const fourth = entered('a')
  const last = entered('b')
  await turns()
  assert.deepEqual([fourth.slot, last.slot], [undefined, undefined])
  other.leavePlace()
  await turns()
  assert.ok(last.slot)
  first.release()
  await turns()
  assert.ok(fourth.slot)
  for (const slot of [second, third.slot, other, last.slot, fourth.slot]) slot?.release()
  const again = [await enter('a'), await enter('a'), await enter('b')]
  for (const slot of again) slot.release()
})
