import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Answered } from '../client.ts'
import { clientOk } from '../git.ts'
import { type ListedFile, listed, type Oracle } from './git.ts'

/** The reading operations of code, each with what git says. */

type Query = Readonly<Record<string, string | number>>

/** Asks the server about one repository; each answer must be 200. */
export interface Asking {
  json: (path: string, query?: Query) => Promise<Pick<Answered, 'headers' | 'body'>>
  bytes: (path: string, query?: Query) => Promise<Buffer>
  /** The content at an address of an answer. */
  follow: (address: string) => Promise<Buffer>
}

export interface Compared {
  asking: Asking
  oracle: Oracle
  /** How a request names a commit, and its id. */
  ref: string
  commit: string
  /** The folder in archives. */
  folder: string
}

type Reading = (compared: Compared) => Promise<void>

const types: Readonly<Record<string, string>> = {
  '120000': 'symlink',
  '160000': 'submodule',
  '040000': 'dir',
}
const typeOf = ({ mode }: ListedFile) => types[mode] ?? 'file'
/** An address cannot have the name of such a file. */
const isNamed = (path: string) => !path.includes('\ufffd')

const lastChange = async (oracle: Oracle, commit: string, path: string) =>
  (await oracle.text('log', '-1', '--format=%H', commit, '--', path)).trim()

async function foldersOf(oracle: Oracle, commit: string): Promise<string[]> {
  const trees = await listed(oracle, commit, '-r', '-d')
  const paths = trees.filter(({ type }) => type === 'tree').map(({ path }) => path)
  return ['', ...paths].filter(isNamed)
}

/** `contents` and `contents-ext` of folders. */
const folders: Reading = async ({ asking, oracle, ref, commit }) => {
  for (const folder of await foldersOf(oracle, commit)) {
    const entries = await listed(oracle, `${commit}:${folder}`)
    const expected = await Promise.all(
      entries.map(async (entry) => {
        const path = folder === '' ? entry.path : `${folder}/${entry.path}`
        const last = isNamed(path) ? await lastChange(oracle, commit, path) : undefined
        return [path, typeOf(entry), entry.id, entry.type === 'blob' ? entry.size : 0, last]
      }),
    )
    const shown = (each: Answered['body']) => [
      each.path,
      each.type,
      each.sha,
      each.size,
      isNamed(each.path) ? each.last_commit_sha : undefined,
    ]
    const plain = await asking.json(`contents/${folder}`, { ref })
    assert.deepEqual(plain.body.map(shown), expected, `contents of ${JSON.stringify(folder)} at ${ref}`)
    const chosen = await asking.json(`contents-ext/${folder}`, { ref, includes: 'commit_metadata' })
    assert.deepEqual(chosen.body.dir_contents.map(shown), expected, `contents-ext of ${folder} at ${ref}`)
  }
}

/** `contents`, `raw`, `media` and `git/blobs` of files, and the addresses that the answers name. */
const files: Reading = async ({ asking, oracle, ref, commit }) => {
  for (const entry of await listed(oracle, commit, '-r')) {
    if (!isNamed(entry.path)) continue
    const { body } = await asking.json(`contents/${entry.path}`, { ref })
    const what = `contents of ${JSON.stringify(entry.path)} at ${ref}`
    assert.deepEqual([body.type, body.sha], [typeOf(entry), entry.id], what)
    assert.equal(body.last_commit_sha, await lastChange(oracle, commit, entry.path), what)
    if (entry.type !== 'blob') continue
    const content = await oracle.bytes('cat-file', 'blob', entry.id)
    const isLink = entry.mode === '120000'
    assert.deepEqual(
      isLink ? body.target : Buffer.from(body.content, 'base64').toString('utf8'),
      content.toString('utf8'),
      what,
    )
    const blob = await asking.json(`git/blobs/${entry.id}`)
    assert.deepEqual([blob.body.content, blob.body.size], [content.toString('base64'), entry.size], what)
    for (const kind of ['raw', 'media']) {
      const raw = await asking.bytes(`${kind}/${entry.path}`, { ref })
      if (!isLink) assert.deepEqual(raw, content, `${kind} ${what}`)
    }
  }
}

/** `git/trees`, page by page, of one level and of all. */
const trees: Reading = async ({ asking, oracle, commit }) => {
  for (const [recursive, more] of [
    ['', []],
    ['true', ['-r', '-t']],
  ] as const) {
    const expected = (await listed(oracle, commit, ...more)).map(({ path, mode, type, id, size }) => [
      path,
      mode,
      type,
      id,
      size,
    ])
    const perPage = Math.max(3, Math.ceil(expected.length / 4))
    const found: unknown[] = []
    for (let page = 1, isLast = false; !isLast; page++) {
      const { body } = await asking.json(`git/trees/${commit}`, { recursive, page, per_page: perPage })
      assert.equal(body.total_count, expected.length)
      isLast = !body.truncated
      found.push(
        ...body.tree.map((each: Record<string, unknown>) => [
          each.path,
          each.mode,
          each.type,
          each.sha,
          each.size,
        ]),
      )
    }
    assert.deepEqual(found, expected)
  }
}

const shas = (body: Answered['body']): string[] => body.map(({ sha }: { sha: string }) => sha)

/** Without what git reads of each commit beside its id; the list is the same. */
const withoutParts = { stat: 'false', files: 'false' }

/** A list of commits, page by page, with its total. */
async function holdList(
  { asking, oracle, ref, commit }: Compared,
  query: Record<string, string>,
  range: readonly string[],
): Promise<void> {
  const expected = await oracle.lines('rev-list', commit, ...range)
  const what = `commits of ${ref} ${JSON.stringify(query)}`
  const found: string[] = []
  const limit = Math.max(2, Math.ceil(expected.length / 3))
  for (let page = 1; found.length < expected.length; page++) {
    const { body, headers } = await asking.json('commits', { sha: ref, page, limit, ...query })
    assert.equal(headers.get('x-total-count'), String(expected.length), what)
    assert.ok(body.length > 0, `${what}: page ${page} is empty`)
    found.push(...shas(body))
  }
  assert.deepEqual(found, expected, what)
}

/** `commits`, without a path and with each. */
const commits: Reading = async (compared) => {
  const { oracle, commit } = compared
  await holdList(compared, {}, [])
  await holdList(compared, withoutParts, [])
  const paths = (await listed(oracle, commit, '-r', '-t')).map(({ path }) => path)
  for (const [at, path] of paths.filter(isNamed).entries())
    await holdList(compared, { path, ...(at % 4 > 0 && withoutParts) }, ['--', path])
  const all = await oracle.lines('rev-list', commit)
  const middle = all[Math.floor(all.length / 2)] ?? commit
  await holdList(compared, { not: middle }, [`^${middle}`])
  const time = (await oracle.text('show', '-s', '--format=%cI', middle)).trim()
  for (const path of ['', 'a.txt'])
    for (const limit of ['since', 'until'])
      await holdList(compared, { [limit]: time, path }, [`--${limit}=${time}`, ...(path && ['--', path])])
}

const status = { A: 'added', D: 'removed' } as Readonly<Record<string, string>>

/** `git/commits`, with files and stats, `.diff` and `.patch`. */
const commit: Reading = async ({ asking, oracle, ref, commit: id }) => {
  // The parameter is one segment.
  const named = ref.includes('/') ? id : ref
  const { body } = await asking.json(`git/commits/${named}`)
  assert.equal(body.sha, id, `the commit of ${named}`)
  const [tree, parents = '', author, committer] = (
    await oracle.text('show', '-s', '--format=%T%n%P%n%aI%n%cI', id)
  ).split('\n')
  assert.deepEqual(
    [body.commit.tree.sha, shas(body.parents), body.commit.author.date, body.commit.committer.date],
    [tree, parents.split(' ').filter(Boolean), author, committer].map((each) =>
      typeof each === 'string' ? each.replace('+00:00', 'Z') : each,
    ),
  )
  assert.equal(
    body.commit.message,
    await oracle.text('show', '-s', '--encoding=UTF-8', '--format=%B', id).then((text) => text.slice(0, -1)),
  )
  const against = parents === '' ? ['--root', id] : [`${id}^1`, id]
  const changed = await oracle.parts('diff-tree', '--no-commit-id', '-r', '-z', '--name-status', ...against)
  const expected = []
  for (let at = 0; at < changed.length; at += 2)
    expected.push([changed[at + 1], status[changed[at] ?? ''] ?? 'modified'])
  assert.deepEqual(
    body.files.map((each: { filename: string; status: string }) => [each.filename, each.status]),
    expected,
  )
  const numbers = await oracle.lines('diff-tree', '--no-commit-id', '-r', '-M', '--numstat', ...against)
  const sum = (column: number) =>
    numbers.reduce((all, line) => all + (Number(line.split('\t')[column]) || 0), 0)
  assert.deepEqual([body.stats.additions, body.stats.deletions], [sum(0), sum(1)], `stats of ${id}`)
  const diff = await asking.bytes(`git/commits/${named}.diff`)
  assert.deepEqual(
    diff.toString('latin1'),
    (await oracle.bytes('diff-tree', '--no-commit-id', '-p', '-r', '-M', ...against)).toString('latin1'),
  )
  const patch = await asking.bytes(`git/commits/${named}.patch`)
  const range = parents === '' ? ['-1', id] : [`${id}^1..${id}`]
  assert.equal(patch.toString('latin1'), await patchOf(oracle, range), `patch of ${id}`)
}

const patchOf = async (oracle: Oracle, range: readonly string[]) =>
  (await oracle.bytes('format-patch', '--stdout', '--no-signature', ...range)).toString('latin1')

/** `git/refs`, `branches`, `tags` with the commits that they lead to. */
const refs: Reading = async ({ asking, oracle }) => {
  const lines = (...more: readonly string[]) => oracle.lines('for-each-ref', ...more)
  const all = await asking.json('git/refs')
  assert.deepEqual(
    all.body.map((each: Answered['body']) => `${each.object.sha} ${each.object.type} ${each.ref}`),
    await lines('--format=%(objectname) %(objecttype) %(refname)'),
  )
  const branches = await asking.json('branches', { limit: 50 })
  assert.deepEqual(
    branches.body.map((each: Answered['body']) => `${each.commit.id} ${each.name}`).sort(),
    (await lines('--format=%(objectname) %(refname:lstrip=2)', 'refs/heads')).sort(),
  )
  const tags = await asking.json('tags', { limit: 50 })
  const peeled = await lines('--format=%(objectname) %(*objectname) %(refname:lstrip=2)', 'refs/tags')
  assert.deepEqual(
    tags.body.map((each: Answered['body']) => `${each.id} ${each.commit.sha} ${each.name}`).sort(),
    peeled.map((line) => line.replace(/^(\w+) {2}/, '$1 $1 ')).sort(),
  )
}

/** `compare` with each branch: commits, total and difference. */
const comparisons: Reading = async ({ asking, oracle, ref, commit }) => {
  for (const line of await oracle.lines('for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads')) {
    const [other = '', name = ''] = line.split(' ')
    const expected = await oracle.lines('rev-list', `${other}..${commit}`)
    const { body } = await asking.json(`compare/${name}...${ref}`)
    assert.deepEqual(
      [body.total_commits, shas(body.commits)],
      [expected.length, expected],
      `${name}...${ref}`,
    )
    for (const dots of ['..', '...']) {
      const diff = await asking.bytes(`compare/${name}${dots}${ref}`, { output: 'diff' })
      assert.deepEqual(
        diff.toString('latin1'),
        (await oracle.bytes('diff', '-M', `${other}${dots}${commit}`)).toString('latin1'),
      )
    }
    const patch = await asking.bytes(`compare/${name}...${ref}`, { output: 'patch' })
    assert.equal(patch.toString('latin1'), await patchOf(oracle, [`${other}..${commit}`]))
  }
}

/** `archive` in its formats. */
const archives: Reading = async ({ asking, oracle, ref, commit, folder }) => {
  const prefix = `--prefix=${folder}/`
  const tar = await asking.bytes(`archive/${ref}.tar.gz`)
  const own = await oracle.bytes('archive', '--format=tar', prefix, commit)
  assert.equal(hash(gunzipSync(tar)), hash(own), `archive of ${ref}`)
  const zip = await asking.bytes(`archive/${ref}.zip`)
  assert.equal(hash(zip), hash(await oracle.bytes('archive', '--format=zip', prefix, commit)))
  const bundle = await asking.bytes(`archive/${ref}.bundle`)
  assert.deepEqual(await bundled(bundle), (await oracle.lines('rev-list', commit)).sort(), `bundle of ${ref}`)
}

/** The commits in a bundle, which git takes for whole. */
async function bundled(bundle: Buffer): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'forgehall-bundle-'))
  try {
    await writeFile(join(folder, 'all.bundle'), bundle)
    await clientOk(folder, 'init', '-q', '--bare', 'copy')
    await clientOk(join(folder, 'copy'), 'fetch', '-q', '../all.bundle', '*:refs/copied/*')
    const commits = await clientOk(join(folder, 'copy'), 'rev-list', '--all')
    return commits.trim().split('\n').sort()
  } finally {
    await rm(folder, { recursive: true })
  }
}

const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** The addresses of entries lead to what they name. */
const addresses: Reading = async ({ asking, oracle, ref, commit }) => {
  for (const folder of (await foldersOf(oracle, commit)).slice(0, 4)) {
    const { body: entries } = await asking.json(`contents/${folder}`, { ref })
    for (const { path, sha, type, url, html_url, git_url, download_url } of entries) {
      if (!isNamed(path)) continue
      assert.equal(
        JSON.parse((await asking.follow(url)).toString())[type === 'dir' ? 'length' : 'sha'],
        type === 'dir' ? (await listed(oracle, sha)).length : sha,
        url,
      )
      if (git_url) assert.equal(JSON.parse((await asking.follow(git_url)).toString()).sha, sha, git_url)
      if (html_url) await asking.follow(html_url)
      if (download_url && type === 'file')
        assert.equal(
          hash(await asking.follow(download_url)),
          hash(await oracle.bytes('cat-file', 'blob', sha)),
        )
    }
  }
}

export const readings = {
  folders,
  files,
  trees,
  commits,
  commit,
  refs,
  comparisons,
  archives,
  addresses,
} as const satisfies Readonly<Record<string, Reading>>
