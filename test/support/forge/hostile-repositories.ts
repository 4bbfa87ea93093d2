import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Repositories that a push accepts and that cost far more than they weigh. Each has branches `base`, `main` and `side`, of
 * which the latter two have left the first.
 */
export type Hostile = (directory: string) => Promise<void>

const git = (directory: string, args: readonly string[], input = '') =>
  execFileSync('git', ['-C', directory, ...args], { input, encoding: 'utf8', maxBuffer: 1024 ** 3 }).trim()

const person = 'Ada <ada@example.com> 1700000000 +0000'

interface Written {
  files?: readonly (readonly [path: string, content: string | Buffer])[]
  message?: string
  /** Number of commits before. */
  history?: number
}

/** A workflow that starts when somebody asks for it. */
const workflow = 'on: workflow_dispatch\njobs:\n  one:\n    runs-on: nowhere\n    steps:\n      - run: x\n'

/** Writes `base`, and `main` and `side` after it. */
function write(directory: string, { files = [], message = 'x', history = 0 }: Written): void {
  const data = (content: string | Buffer) =>
    Buffer.concat([
      Buffer.from(`data ${Buffer.byteLength(content)}\n`),
      Buffer.from(content),
      Buffer.from('\n'),
    ])
  const commit = (branch: string, mark: number, text: string, from?: number) => [
    Buffer.from(`commit refs/heads/${branch}\nmark :${mark}\ncommitter ${person}\n`),
    data(text),
    Buffer.from(from === undefined ? '' : `from :${from}\n`),
  ]
  const file = (path: string, content: string | Buffer) => [
    Buffer.from(`M 644 inline ${path}\n`),
    data(content),
  ]
  const older = Array.from({ length: history }, (_, at) => [
    ...commit('main', at + 2, `c${at}`, at + 1),
    ...file('README.md', `${at}`),
  ])
  const input = Buffer.concat([
    ...commit('base', 1, 'base'),
    ...file('README.md', 'read me'),
    ...file('.gitea/workflows/ci.yml', workflow),
    ...older.flat(),
    ...commit('main', history + 2, message, history + 1),
    ...file('README.md', 'changed'),
    ...files.flatMap(([path, content]) => file(path, content)),
    ...commit('side', history + 3, 'side', 1),
    ...file('side', 'x'),
  ])
  execFileSync('git', ['-C', directory, 'fast-import', '--quiet'], { input })
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

/** By name. */
export const hostileRepositories: Readonly<Record<string, Hostile>> = {
  /** Ten levels of folders, each with ten times the same one: ten objects, and 10¹⁰ files. */
  bomb: async (directory) => {
    write(directory, {})
    const blob = git(directory, ['hash-object', '-w', '--stdin'], 'x')
    let tree = git(
      directory,
      ['mktree'],
      numbers(10)
        .map((at) => `100644 blob ${blob}\tf${at}\n`)
        .join(''),
    )
    for (let level = 0; level < 9; level++)
      tree = git(
        directory,
        ['mktree'],
        numbers(10)
          .map((at) => `040000 tree ${tree}\td${at}\n`)
          .join(''),
      )
    const entries = [
      `040000 tree ${git(directory, ['rev-parse', 'base:.gitea'])}\t.gitea`,
      `100644 blob ${blob}\tREADME.md`,
      `040000 tree ${tree}\tdocs`,
    ]
    const whole = git(directory, ['mktree'], `${entries.join('\n')}\n`)
    const text = `tree ${whole}\nparent ${git(directory, ['rev-parse', 'base'])}\nauthor ${person}\ncommitter ${person}\n\nx\n`
    const commit = git(directory, ['hash-object', '-w', '-t', 'commit', '--stdin'], text)
    git(directory, ['update-ref', 'refs/heads/main', commit])
  },
  deep: async (directory) => write(directory, { files: [[`${'d/'.repeat(1000)}f`, 'x']] }),
  wide: async (directory) =>
    write(directory, { files: numbers(20_000).map((at) => [`docs/file-${at}`, `${at}`]) }),
  'long-names': async (directory) =>
    write(directory, { files: numbers(2000).map((at) => [`docs/${`${at}-`.padEnd(240, 'n')}`, 'x']) }),
  history: async (directory) => write(directory, { history: 5000 }),
  message: async (directory) =>
    write(directory, { message: 'long\n'.repeat(2_000_000), files: [['docs/a', 'x']] }),
  /** The message of the commit, 20,000 times, each in 16,384 columns. */
  attributes: async (directory) =>
    write(directory, {
      files: [
        ['.gitattributes', 'docs/bomb export-subst\n'],
        ['docs/bomb', `$Format:${'%<(16384)%s'.repeat(20_000)}$`],
      ],
    }),
  big: async (directory) =>
    write(directory, { files: numbers(4).map((at) => [`docs/${at}.bin`, randomBytes(6_000_000)]) }),
  refs: async (directory) => {
    write(directory, {})
    const id = git(directory, ['rev-parse', 'main'])
    const names = numbers(100_000).map((at) => `refs/heads/b${`${at}`.padStart(6, '0')}`)
    const lines = names.map((name) => `${id} ${name}\n`)
    await writeFile(
      join(directory, 'packed-refs'),
      `# pack-refs with: peeled fully-peeled sorted \n${lines.join('')}`,
    )
  },
}
