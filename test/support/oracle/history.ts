import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { clientOk } from '../git.ts'

/** Makes histories of git by chance, each from a seed: with merges of all kinds, odd names, modes and dates. */

/** A history in a bare repository. */
export interface History {
  directory: string
  /** The commits of the branches at some moments, the last one at the end. */
  moments: ReadonlyMap<string, string>[]
}

interface File {
  mode: string
  /** Content; the id of a commit for a submodule. */
  content: string
}
type Files = ReadonlyMap<string, File>

interface Commit {
  mark: number
  files: Files
}

/** Names as bytes (latin1), in a few folders. */
const names = [
  'a.txt',
  'README.md',
  'docs/guide.md',
  'docs/deep/er/x',
  'docs/deep/y',
  'src/one.ts',
  'src/two.ts',
  'src/three.ts',
  'odd/back\\slash',
  'odd/tab\there',
  'odd/line\nbreak',
  'odd/return\r',
  'odd/ space ',
  'odd/-dash',
  'odd/[x]*?',
  'odd/#%20&+',
  'odd/:(top)',
  'odd/"quoted"',
  'odd/\xc3\xa4\xe2\x82\xac',
  'odd/\xff\xfe',
  'li\nne/file',
]

/** A generator of numbers from 0 to 1 (mulberry32). */
export function numbersOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** Choices by chance. */
function chanceOf(seed: number) {
  const next = numbersOf(seed)
  const below = (count: number) => Math.floor(next() * count)
  const oneOf = <Value>(all: readonly Value[]): Value => {
    const value = all[below(all.length)]
    if (value === undefined) throw new Error('there is nothing to choose from')
    return value
  }
  return { next, below, oneOf }
}

/** Writes a history of about this many commits. */
export async function writeHistory(
  directory: string,
  { seed, commits }: { seed: number; commits: number },
): Promise<History> {
  const { next, below, oneOf } = chanceOf(seed)
  const script: Buffer[] = []
  const say = (text: string) => script.push(Buffer.from(text, 'latin1'))
  const branches = new Map<string, Commit>()
  const moments: Map<string, number>[] = []
  let marks = 0
  let seconds = 1_700_000_000

  const write = (branch: string, files: Files, parents: readonly Commit[]): Commit => {
    const mark = ++marks
    // Clocks of other machines are late.
    seconds += next() < 0.1 ? -below(5000) : below(1000)
    const zone = oneOf(['+0000', '+0130', '-0800'])
    const isLatin = next() < 0.2
    const message = `commit ${mark}${isLatin ? ' \xe4' : ' \xc3\xa4'}${next() < 0.3 ? '\n\nbody\n' : ''}\n`
    say(`commit refs/heads/${branch}\nmark :${mark}\n`)
    say(
      `author Ada <ada@example.com> ${seconds - 5} ${zone}\ncommitter Ada <ada@example.com> ${seconds} ${zone}\n`,
    )
    if (isLatin) say('encoding ISO-8859-1\n')
    say(`data ${message.length}\n${message}`)
    for (const [at, parent] of parents.entries()) say(`${at === 0 ? 'from' : 'merge'} :${parent.mark}\n`)
    say('deleteall\n')
    for (const [name, { mode, content }] of files) {
      if (mode === '160000') say(`M ${mode} ${content} ${quoted(name)}\n`)
      else say(`M ${mode} inline ${quoted(name)}\ndata ${content.length}\n${content}\n`)
    }
    const commit = { mark, files }
    branches.set(branch, commit)
    return commit
  }

  const randomFile = (): File => {
    const kind = next()
    if (kind < 0.1) return { mode: '120000', content: oneOf(['../a.txt', 'nowhere']) }
    if (kind < 0.15) return { mode: '160000', content: `${1 + below(9)}`.repeat(40) }
    // Few contents, so that both sides of a merge sometimes make the same change.
    const content = `${'line\n'.repeat(below(4))}${below(4)}\n`
    return { mode: next() < 0.2 ? '100755' : '100644', content }
  }

  const edited = (files: Files): Files => {
    const changed = new Map(files)
    for (let count = 1 + below(3); count > 0; count--) {
      const name = oneOf(names)
      const present = changed.get(name)
      const kind = next()
      if (!present || kind < 0.5) changed.set(name, randomFile())
      else {
        changed.delete(name)
        if (kind < 0.75) changed.set(oneOf(names), present)
      }
    }
    return changed
  }

  /** Each entry from a side by chance, or from one side alone, or resolved with another content. */
  const merged = (sides: readonly Commit[]): Files => {
    const whole = next() < 0.3 ? oneOf(sides) : undefined
    const files = new Map<string, File>()
    for (const name of new Set(sides.flatMap(({ files }) => [...files.keys()]))) {
      const file = (whole ?? oneOf(sides)).files.get(name)
      const isResolved = !whole && next() < 0.2
      if (isResolved) files.set(name, randomFile())
      else if (file) files.set(name, file)
    }
    return files
  }

  const first: Files = new Map(names.slice(0, 8).map((name) => [name, randomFile()]))
  write('main', new Map([...first, ['a.txt', { mode: '100644', content: 'a\n' }]]), [])
  for (let count = 1; count < commits; count++) {
    const branch = oneOf([...branches.keys()])
    const tip = branches.get(branch)
    if (!tip) continue
    const kind = next()
    const others = [...branches.values()].filter(({ mark }) => mark !== tip.mark)
    if (kind < 0.15 && branches.size < 5) write(`side/${branches.size}`, edited(tip.files), [tip])
    else if (kind < 0.45 && others.length > 0) {
      const sides = new Set([tip, oneOf(others), ...(next() < 0.3 ? [oneOf(others)] : [])])
      write(branch, merged([...sides]), [...sides])
    } else write(branch, edited(tip.files), [tip])
    if (count % Math.ceil(commits / 3) === 0)
      moments.push(new Map([...branches].map(([name, { mark }]) => [name, mark])))
  }
  moments.push(new Map([...branches].map(([name, { mark }]) => [name, mark])))
  // Tags of both kinds, and one that has the name of a branch.
  say(`reset refs/tags/light\nfrom :1\n\nreset refs/tags/main\nfrom :${Math.ceil(marks / 2)}\n\n`)
  say(
    `tag v1\nfrom :${Math.ceil(marks / 3)}\ntagger Ada <ada@example.com> ${seconds} +0200\ndata 8\nversion\n\n`,
  )
  say('done\n')
  const ids = await importHistory(directory, Buffer.concat(script), marks)
  return {
    directory,
    moments: moments.map((moment) => new Map([...moment].map(([name, mark]) => [name, ids.get(mark) ?? '']))),
  }
}

/** A path as fast-import reads it. */
const quoted = (name: string): string =>
  `"${[...name].map((char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`).join('')}"`

/** Imports a script; gives the ids of commits by their marks. */
export async function importHistory(
  directory: string,
  script: Buffer,
  marks: number,
): Promise<ReadonlyMap<number, string>> {
  await mkdir(directory, { recursive: true })
  await clientOk(directory, 'init', '-q', '--bare', '-b', 'main')
  const args = ['fast-import', '--quiet', '--done', '--export-marks=marks']
  const running = spawn('git', args, { cwd: directory, stdio: ['pipe', 'ignore', 'inherit'] })
  running.stdin.end(script)
  const [code] = await once(running, 'close')
  if (code !== 0) throw new Error(`fast-import ended with ${code}`)
  const lines = (await readFile(join(directory, 'marks'), 'utf8')).trim().split('\n')
  const ids = new Map(lines.map((line) => [Number(line.slice(1, line.indexOf(' '))), line.slice(-40)]))
  if (ids.size !== marks) throw new Error('marks are missing')
  return ids
}
