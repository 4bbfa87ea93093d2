import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { deflateSync, gzipSync } from 'node:zlib'
import type { PushRules, RefUpdate } from '../../../src/git/http/http.ts'
import { flush, packet } from '../../../src/git/http/pkt-line.ts'
import { headBranch, listRefs, setHeadBranch } from '../../../src/git/repository/refs.ts'
import { type Answer, client, clientOk, gitService, okOf, post, raw, serveGit } from '../../support/git.ts'
import { until } from '../../support/wait.ts'

const shop = await gitService()
const { git, repositories, folder } = shop
let rules: PushRules = {}
const { url, exchanges, heard } = await serveGit(shop, { rules: () => rules })
const zero = '0'.repeat(40)
const ada = { name: 'Ada', email: 'ada@example.com', at: new Date('2026-01-31T08:00:00Z') }

/** A repository with one commit, and an address for the client. */
async function made(name: string, format: 'sha1' | 'sha256' = 'sha1') {
  const files = [{ path: 'README.md', content: `# ${name}\n` }]
  const commit = { branch: 'main', author: ada, committer: ada, message: 'Initial commit\n', files }
  const id = okOf(await repositories.createWithCommit({ owner: 'ada', name, format }, commit))
  const path = repositories.path({ owner: 'ada', name }) ?? ''
  return { id, path, address: `${url}/ada/${name}.git`, work: join(folder, `work-${name}`) }
}

/** The same, cloned to `work`. */
async function cloned(name: string) {
  const repository = await made(name)
  await clientOk(folder, 'clone', '-q', repository.address, repository.work)
  return repository
}

/** What pushes change from now on, as the caller is told. */
function updates(): RefUpdate[] {
  const seen: RefUpdate[] = []
  rules = { updated: (told) => void seen.push(...told) }
  return seen
}

/** A commit in a work tree; gives its id. */
async function commitIn(work: string, name: string, content: string | Buffer): Promise<string> {
  await writeFile(join(work, name), content)
  await clientOk(work, 'add', '-A')
  await clientOk(work, 'commit', '-q', '-m', `change ${name}`)
  return clientOk(work, 'rev-parse', 'HEAD')
}

for (const version of [0, 1, 2]) {
  for (const format of ['sha1', 'sha256'] as const) {
    test(`clone, push and fetch of a ${format} repository over protocol ${version}`, async () => {
      const { id, path, address, work } = await made(`v${version}-${format}`, format)
      const other = `${work}-other`
      const protocol = ['-c', `protocol.version=${version}`]
      await clientOk(folder, ...protocol, 'clone', '-q', address, work)
      await clientOk(folder, ...protocol, 'clone', '-q', address, other)
      assert.equal(await clientOk(work, 'rev-parse', 'HEAD'), id)
      const seen = updates()
      const next = await commitIn(work, 'a.txt', 'a')
      await clientOk(work, ...protocol, 'push', '-q', 'origin', 'main')
      assert.deepEqual(seen, [{ ref: 'refs/heads/main', before: id, after: next }])
      await clientOk(other, ...protocol, 'pull', '-q')
      assert.equal(await clientOk(other, 'rev-parse', 'HEAD'), next)
      await clientOk(path, 'fsck', '--strict', '--full')
      const said = heard.filter((one) => one.path.includes(`v${version}-`)).map((one) => one.protocol)
      assert.ok(said.includes(version === 0 ? undefined : `version=${version}`))
    })
  }
}

test('an empty repository is cloned, and takes its first push', async () => {
  okOf(await repositories.create({ owner: 'ada', name: 'empty', branch: 'trunk' }))
  const work = join(folder, 'work-empty')
  await clientOk(folder, 'clone', '-q', `${url}/ada/empty.git`, work)
  assert.equal(await clientOk(work, 'symbolic-ref', 'HEAD'), 'refs/heads/trunk')
  const seen = updates()
  const id = await commitIn(work, 'a', 'a')
  await clientOk(work, 'push', '-q', 'origin', 'trunk')
  assert.deepEqual(seen, [{ ref: 'refs/heads/trunk', before: zero, after: id }])
})

test('a push creates, forces and deletes branches and tags, and reports every update', async () => {
  const { id, work, path } = await cloned('many')
  await clientOk(work, 'tag', '-a', '-m', 'x', 'v1')
  await clientOk(work, 'push', '-q', 'origin', 'main:gone', 'main:back')
  const next = await commitIn(work, 'a', 'a')
  const seen = updates()
  await clientOk(work, 'push', '-q', 'origin', 'main', ':gone', 'v1', '+main:back', 'main:new/ä')
  const tag = await clientOk(work, 'rev-parse', 'v1')
  assert.deepEqual(
    seen.sort((a, b) => (a.ref < b.ref ? -1 : 1)),
    [
      { ref: 'refs/heads/back', before: id, after: next },
      { ref: 'refs/heads/gone', before: id, after: zero },
      { ref: 'refs/heads/main', before: id, after: next },
      { ref: 'refs/heads/new/ä', before: zero, after: next },
      { ref: 'refs/tags/v1', before: zero, after: tag },
    ],
  )
  const names = okOf(await listRefs({ git, directory: path })).map(({ name }) => name)
  assert.deepEqual(names, ['refs/heads/back', 'refs/heads/main', 'refs/heads/new/ä', 'refs/tags/v1'])
})

test('of a push that git refuses in part, only the other part is reported', async () => {
  const { id, work } = await cloned('part')
  const next = await commitIn(work, 'a', 'a')
  const seen = updates()
  // The branch that HEAD names cannot be deleted.
  const ran = await client(work, 'push', 'origin', ':main', 'main:other')
  assert.notEqual(ran.code, 0)
  assert.match(ran.stderr, /remote rejected\] main \(deletion of the current branch prohibited\)/)
  assert.deepEqual(seen, [{ ref: 'refs/heads/other', before: zero, after: next }])
  assert.notEqual(id, next)
})

test('the answer to a push ends only after `updated` has resolved', async () => {
  const { work } = await cloned('order')
  await commitIn(work, 'a', 'a')
  let release = () => {}
  let told = false
  rules = {
    updated: () => {
      told = true
      return new Promise((resolve) => {
        release = resolve
      })
    },
  }
  let ended = false
  const pushing = client(work, 'push', 'origin', 'main').finally(() => {
    ended = true
  })
  await until('the caller was told', () => told)
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.equal(ended, false)
  release()
  assert.equal((await pushing).code, 0)
})

test('a shallow clone is shallow, can be deepened, and can push', async () => {
  const { address, work, path } = await cloned('shallow')
  rules = {}
  for (const name of ['a', 'b', 'c']) await commitIn(work, name, name)
  await clientOk(work, 'push', '-q', 'origin', 'main')
  const shallow = `${work}-shallow`
  await clientOk(folder, 'clone', '-q', '--depth=1', address, shallow)
  assert.equal(await clientOk(shallow, 'rev-list', '--count', 'HEAD'), '1')
  await commitIn(shallow, 'd', 'd')
  await clientOk(shallow, 'push', '-q', 'origin', 'main')
  await clientOk(shallow, 'fetch', '-q', '--unshallow')
  assert.equal(await clientOk(shallow, 'rev-list', '--count', 'HEAD'), '5')
  await clientOk(folder, 'clone', '-q', '--filter=blob:none', '--no-checkout', address, `${work}-partial`)
  await clientOk(path, 'fsck', '--strict')
})

test('a fetch with a long, compressed list of wants is answered', async () => {
  const { address, work } = await cloned('gzip')
  rules = {}
  const branches = Array.from({ length: 40 }, (_, at) => `b${at}`)
  for (const branch of branches) {
    await clientOk(work, 'commit', '-q', '--allow-empty', '-m', branch)
    await clientOk(work, 'branch', branch)
  }
  await clientOk(work, 'push', '-q', 'origin', ...branches)
  await clientOk(folder, '-c', 'protocol.version=0', 'clone', '-q', address, `${work}-again`)
  assert.ok(heard.some((one) => one.path.includes('gzip') && one.encoding === 'gzip'))
})

test('a push of 60 MB is streamed: the server grows by less than 50 MB', async () => {
  const { address, work, path } = await cloned('large')
  for (let at = 0; at < 6; at++) await writeFile(join(work, `blob-${at}`), randomBytes(10_000_000))
  await commitIn(work, 'end', 'x')
  const before = process.memoryUsage().rss
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 10)
  await clientOk(work, 'push', '-q', 'origin', 'main').finally(() => clearInterval(watch))
  assert.ok(most - before < 50_000_000, `grew by ${most - before} bytes`)
  assert.ok((await repositories.bytes({ owner: 'ada', name: 'large' })) > 60_000_000)
  await clientOk(path, 'fsck', '--strict')
  await clientOk(folder, 'clone', '-q', address, `${work}-back`)
})

test('a push that `check` refuses prints remote: …, and changes nothing', async () => {
  const { id, path, work } = await cloned('archived')
  await writeFile(join(work, 'blob'), randomBytes(3_000_000))
  await commitIn(work, 'a', 'a')
  rules = {
    check: (updates) => `this repository is archived; ${updates.length} refs stay`,
    updated: () => assert.fail('nothing was done'),
    untouched: () => assert.fail('it was not let through'),
  }
  const ran = await client(work, 'push', 'origin', 'main', 'main:other')
  assert.notEqual(ran.code, 0)
  assert.match(ran.stderr, /^remote: this repository is archived; 2 refs stay/m)
  assert.match(ran.stderr, /remote rejected\] main -> main/)
  assert.deepEqual(
    okOf(await listRefs({ git, directory: path })).map((ref) => ref.id),
    [id],
  )
})

test('refs outside of branches, tags and notes, and hostile names, are refused in words', async () => {
  const { id, path, work } = await cloned('refs')
  rules = { updated: () => assert.fail('nothing was done') }
  for (const ref of [
    'refs/pull/1/head',
    'refs/replace/x',
    'refs/notes/-x',
    'refs/heads/-x',
    'refs/heads/HEAD',
  ]) {
    const ran = await client(work, 'push', 'origin', `main:${ref}`)
    assert.notEqual(ran.code, 0, ref)
    assert.match(ran.stderr, new RegExp(`remote: only branches, tags and notes .*, not ${ref}`))
  }
  for (const ref of [
    'refs/heads/../../config',
    'HEAD',
    'refs/heads/a\nb',
    '../x',
    'refs/heads/x.lock',
    'refs/heads/',
    'refs/heads/\xff',
  ]) {
    const line = packet(Buffer.from(`${zero} ${id} ${ref}\0report-status side-band-64k`, 'latin1'))
    const answer = await post(url, 'refs', 'git-receive-pack', Buffer.concat([line, flush]))
    assert.equal(answer.status, 200)
    assert.match(answer.body.toString(), /only branches, tags and notes/, ref)
  }
  const lines = [packet(`${zero} ${id} refs/heads/a\0report-status`), packet(`${zero} ${id} refs/heads/a`)]
  const twice = await post(url, 'refs', 'git-receive-pack', Buffer.concat([...lines, flush]))
  assert.match(twice.body.toString(), /ng refs\/heads\/a refused/)
  assert.equal(okOf(await listRefs({ git, directory: path })).length, 1)
})

test('a mirror of another forge pushes its branches, tags and notes, and each other ref is refused', async () => {
  const { path, address, work } = await made('mirror')
  await clientOk(folder, 'clone', '-q', '--bare', address, work)
  for (const ref of ['refs/heads/next', 'refs/tags/v1', 'refs/pull/1/head', 'refs/notes/commits'])
    await clientOk(work, 'update-ref', ref, 'HEAD')
  const seen = updates()
  const ran = await client(work, 'push', '--mirror', address)
  assert.match(ran.stderr, /refs\/pull\/1\/head \(deny updating a hidden ref\)/)
  assert.deepEqual(seen.map(({ ref }) => ref).sort(), [
    'refs/heads/next',
    'refs/notes/commits',
    'refs/tags/v1',
  ])
  const names = okOf(await listRefs({ git, directory: path })).map(({ name }) => name)
  assert.deepEqual(names, ['refs/heads/main', 'refs/heads/next', 'refs/tags/v1'])
  assert.equal(await clientOk(path, 'for-each-ref', 'refs/pull'), '')
})

test('updates of a push are read from every form of report', async () => {
  const { id } = await made('forms')
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0')
  const pack = Buffer.concat([head, createHash('sha1').update(head).digest()])
  const seen = updates()
  // Git takes words from every line, and knows more blanks than one.
  const forms = [
    ['', 'report-status side-band-64k'],
    ['report-status', 'side-band-64k'],
    ['report-status\tside-band-64k', ''],
    ['report-status side-band-64k=1', ''],
  ]
  for (const [at, [first, second]] of forms.entries()) {
    const refs = [`refs/heads/a${at}`, `refs/heads/b${at}`]
    const lines = [
      packet(`${zero} ${id} ${refs[0]}\0${first}`),
      packet(`${zero} ${id} ${refs[1]}\0${second}`),
    ]
    const answer = await post(url, 'forms', 'git-receive-pack', Buffer.concat([...lines, flush, pack]))
    assert.match(answer.body.toString(), /unpack ok/)
    assert.deepEqual(
      seen.splice(0).map(({ ref }) => ref),
      refs,
    )
  }
})

test('a pack that is broken or lacks objects changes nothing and leaves nothing', async () => {
  const { id, path } = await made('broken')
  const heard: string[] = []
  rules = {
    check: () => void heard.push('check'),
    updated: () => assert.fail('nothing was done'),
    untouched: () => void heard.push('untouched'),
  }
  const command = packet(`${zero} ${'1'.repeat(40)} refs/heads/x\0report-status side-band-64k`)
  for (const pack of [Buffer.alloc(0), Buffer.from('PACK'), randomBytes(5000)]) {
    const answer = await post(url, 'broken', 'git-receive-pack', Buffer.concat([command, flush, pack]))
    assert.equal(answer.status, 200)
    assert.match(answer.body.toString(), /unpack .*(?:abnormal|fail|error)|unpacker error/)
  }
  assert.deepEqual(
    okOf(await listRefs({ git, directory: path })).map((ref) => ref.id),
    [id],
  )
  assert.deepEqual(
    (await readdir(join(path, 'objects'))).filter((name) => name.includes('incoming')),
    [],
  )
  assert.ok(heard.length > 0 && heard.every((word, at) => word === (at % 2 ? 'untouched' : 'check')))
})

test('a push of some kilobytes cannot make git take gigabytes of memory', async () => {
  const { id, path } = await made('bomb')
  rules = { updated: () => assert.fail('nothing was done') }
  const sha1 = (bytes: Buffer) => createHash('sha1').update(bytes).digest()
  const size = 2 ** 20 * 15
  const base = Buffer.alloc(size)
  const name = sha1(Buffer.concat([Buffer.from(`blob ${size}\0`), base]))
  // A delta (gitformat-pack(5)): the size of its base, that of the result, and copies of the whole base.
  const copies = Array.from({ length: 80 }, () => [0xf0, size & 255, (size >> 8) & 255, size >> 16]).flat()
  const delta = Buffer.from([...number(size), ...number(size * 80), ...copies])
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\x02', 'latin1')
  const whole = Buffer.concat([
    ...[head, Buffer.from(entry(3, size)), deflateSync(base)],
    ...[Buffer.from(entry(7, delta.length)), name, deflateSync(delta)],
  ])
  const line = packet(`${zero} ${id} refs/heads/bomb\0report-status`)
  const body = Buffer.concat([line, flush, whole, sha1(whole)])
  assert.ok(body.length < 20_000)
  const answer = await post(url, 'bomb', 'git-receive-pack', body)
  assert.match(answer.body.toString(), /unpack .*(?:abnormal|fail|error).*ng refs\/heads\/bomb/s)
  assert.equal(okOf(await listRefs({ git, directory: path })).length, 1)
})

/** Seven bits in each byte, the lowest first. */
function number(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...number(Math.floor(value / 128))]
}

/** The head of an entry of a pack: its type between the first four bits of its size and the others. */
function entry(type: number, size: number): number[] {
  return [(type << 4) + (size % 16) + 128, ...number(Math.floor(size / 16))]
}

test('requests that are no git are clear refusals', async () => {
  await made('bad')
  rules = {}
  const statuses = async (answers: Promise<Answer>[]) =>
    (await Promise.all(answers)).map(({ status }) => status)
  assert.deepEqual(
    await statuses([
      raw(url, '/ada/bad.git/info/refs'),
      raw(url, '/ada/bad.git/info/refs?service=git-shell'),
      raw(url, '/ada/bad.git/HEAD'),
      raw(url, '/ada/absent.git/info/refs?service=git-upload-pack'),
      raw(url, '/ada/..%2f..%2fbad.git/info/refs?service=git-upload-pack'),
    ]),
    [403, 403, 403, 404, 404],
  )
  const words = Buffer.from('hello, this is no packet')
  assert.deepEqual(
    await statuses([
      post(url, 'bad', 'git-upload-pack', words),
      post(url, 'bad', 'git-receive-pack', words),
      post(url, 'bad', 'git-receive-pack', Buffer.concat([packet('push-cert\0x'), flush])),
      post(url, 'bad', 'git-receive-pack', Buffer.from('00')),
      post(url, 'bad', 'git-upload-pack', words, { 'content-type': 'text/plain' }),
      post(url, 'bad', 'git-upload-pack', words, { 'content-encoding': 'br' }),
      post(url, 'bad', 'git-upload-pack', words, { 'content-encoding': 'gzip' }),
      post(url, 'bad', 'git-upload-pack', gzipSync(words).subarray(0, 20), { 'content-encoding': 'gzip' }),
      post(url, 'bad', 'git-receive-pack', flush),
      post(url, 'absent', 'git-upload-pack', words),
    ]),
    [400, 400, 400, 400, 415, 415, 400, 400, 200, 404],
  )
})

test('what a client asks of git in vain is 400', async () => {
  const { id } = await made('vain')
  rules = {}
  const lines = (...texts: (string | Buffer)[]) =>
    Buffer.concat(texts.map((text) => (typeof text === 'string' ? packet(text) : text)))
  const delimiter = Buffer.from('0001')
  const fetched = (...texts: string[]) => lines('command=fetch', delimiter, ...texts, 'done', flush)
  for (const body of [
    lines('command=fetch', 'object-format=sha256', delimiter, flush),
    lines('command=fetch', 'object-format=x', delimiter, flush),
    lines('command=fetch', 'command=ls-refs', flush),
    lines('x=1', 'command=fetch', flush),
    lines('agent=x', flush),
    fetched(`want ${id}`, 'deepen-not nothing'),
    fetched(`want ${id}`, 'filter sparse:path=x'),
    fetched(`want ${id}`, 'filter blob:none', 'filter tree:0'),
  ]) {
    const answer = await post(url, 'vain', 'git-upload-pack', body, { 'git-protocol': 'version=2' })
    assert.equal(answer.status, 400, body.toString())
  }
  const line = packet(`${zero} ${id} refs/heads/x\0report-status object-format=sha256`)
  assert.equal((await post(url, 'vain', 'git-receive-pack', Buffer.concat([line, flush]))).status, 400)
})

test('headers say what the protocol wants, and nothing may be kept', async () => {
  await made('headers')
  for (const service of ['git-upload-pack', 'git-receive-pack']) {
    const { headers, body } = await raw(url, `/ada/headers.git/info/refs?service=${service}`)
    assert.equal(headers['content-type'], `application/x-${service}-advertisement`)
    assert.match(String(headers['cache-control']), /no-cache/)
    assert.ok(body.toString().includes(`# service=${service}\n0000`))
  }
  const { body } = await raw(url, '/ada/headers.git/info/refs?service=git-upload-pack', {
    headers: { 'git-protocol': 'version=2' },
  })
  assert.match(body.toString(), /^000eversion 2\n/)
})

test('git advertises its capabilities once for each configuration of a repository', async () => {
  const { path } = await made('greeting')
  const ask = async (protocol = 'version=2') => {
    const { status, headers, body } = await raw(url, '/ada/greeting.git/info/refs?service=git-upload-pack', {
      headers: { 'git-protocol': protocol },
    })
    assert.match(String(headers['cache-control']), /no-cache/)
    return { status, text: body.toString() }
  }
  const first = await ask()
  assert.match(first.text, /ls-refs=unborn/)
  // Nothing but the settings is looked at, so that no process is needed.
  await rename(join(path, 'HEAD'), join(path, 'HEAD.away'))
  assert.deepEqual(await ask(), first)
  assert.notEqual((await ask('version=1')).status, 200)
  const config = await readFile(join(path, 'config'), 'utf8')
  await writeFile(join(path, 'config'), `${config}[lsrefs]\n\tunborn = ignore\n`)
  assert.notEqual((await ask()).status, 200)
  await rename(join(path, 'HEAD.away'), join(path, 'HEAD'))
  assert.doesNotMatch((await ask()).text, /ls-refs=unborn/)
})

test('Git-Protocol reaches git only as a list of keys and values, and no push', async () => {
  await made('protocol')
  const ask = async (service: string, protocol: string) =>
    (
      await raw(url, `/ada/protocol.git/info/refs?service=${service}`, {
        headers: { 'git-protocol': protocol },
      })
    ).body.toString()
  for (const hostile of ['version=2;x', 'version=2 x', '$(version=2)', `version=2:${'x'.repeat(300)}`]) {
    assert.match(await ask('git-upload-pack', hostile), /^001e# service=git-upload-pack\n/, hostile)
  }
  assert.match(await ask('git-upload-pack', 'x:version=2'), /^000eversion 2\n/)
  assert.match(await ask('git-receive-pack', 'version=2'), /^001f# service=git-receive-pack\n/)
})

test('HEAD of the repository follows what was set, also for clones', async () => {
  const { address, work, path } = await cloned('heads')
  rules = {}
  await clientOk(work, 'push', '-q', 'origin', 'main:next')
  okOf(await setHeadBranch(path, 'next'))
  assert.equal(okOf(await headBranch(path)), 'next')
  await clientOk(folder, 'clone', '-q', address, `${work}-next`)
  assert.equal(await clientOk(`${work}-next`, 'symbolic-ref', 'HEAD'), 'refs/heads/next')
})

test('every exchange with a stock client ended well', () => {
  const failed = exchanges.filter(
    ({ fault }) => fault && !['failed', 'gone', 'cancelled'].includes(fault.kind),
  )
  assert.deepEqual(failed, [])
})
