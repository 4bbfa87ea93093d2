import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Forge } from './forge.ts'

const run = promisify(execFile)

/** Runs the stock client in a folder, without the settings of this machine. */
export async function git(folder: string, ...words: string[]): Promise<void> {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Bench',
    GIT_AUTHOR_EMAIL: 'bench@example.com',
    GIT_COMMITTER_NAME: 'Bench',
    GIT_COMMITTER_EMAIL: 'bench@example.com',
  }
  await run('git', words, { cwd: folder, env, timeout: 300_000 })
}

/** A working folder with one commit of so many files of random bytes, which nothing makes smaller. */
export async function commitOf(folder: string, files: number, bytes: number): Promise<void> {
  mkdirSync(folder)
  await git(folder, 'init', '-q', '-b', 'main')
  for (let each = 0; each < files; each++) writeFileSync(join(folder, `file-${each}`), randomBytes(bytes))
  const quickly = ['-c', 'core.compression=0', '-c', 'core.bigFileThreshold=1m']
  await git(folder, ...quickly, 'add', '.')
  await git(folder, 'commit', '-qm', 'Random bytes')
}

/** Pushes a working folder to a repository of the administrator: its branch `main`, or what `refs` names. */
export async function push(
  folder: string,
  { url, authorization }: Pick<Forge, 'url' | 'authorization'>,
  name: string,
  refs = 'main',
): Promise<void> {
  const header = `http.extraHeader=Authorization: ${authorization}`
  const settings = ['-c', header, '-c', 'pack.compression=0', '-c', 'core.bigFileThreshold=1m']
  await git(folder, ...settings, 'push', '-q', `${url}/bench/${name}.git`, refs)
}

/** How long the history is, and what its first commit contains: a file of so many bytes, and a folder of entries. */
interface History {
  commits: number
  /** `main`, and others that end at commits before its newest. */
  branches: number
  entries: number
  fileBytes: number
}

/** Makes a working folder with such a history. */
export async function importHistory(folder: string, amounts: History): Promise<void> {
  mkdirSync(folder)
  await git(folder, 'init', '-q', '-b', 'main')
  await importCommits(folder, amounts)
  await git(folder, 'reset', '-q', '--hard', 'main')
}

/** Writes the commits and branches as a stream of git-fast-import(1). */
async function importCommits(folder: string, amounts: History): Promise<void> {
  const path = join(folder, '.git', 'history')
  const stream = createWriteStream(path)
  const text = randomBytes(amounts.fileBytes / 2).toString('hex')
  const files = [
    ['file.txt', text],
    ...Array.from({ length: amounts.entries }, (_, at) => [`folder/entry-${at}.txt`, `${at}\n`]),
  ]
  for (let at = 1; at <= amounts.commits; at++) {
    const changed = at === 1 ? files : [['count.txt', `${at}\n`]]
    const when = 1_700_000_000 + at
    stream.write(
      `commit refs/heads/main\nmark :${at}\ncommitter Bench <bench@example.com> ${when} +0000\ndata 4\nwork\n`,
    )
    if (at > 1) stream.write(`from :${at - 1}\n`)
    for (const [name, content = ''] of changed)
      stream.write(`M 100644 inline ${name}\ndata ${Buffer.byteLength(content)}\n${content}\n`)
  }
  for (let at = 1; at < amounts.branches; at++)
    stream.write(`reset refs/heads/branch-${at}\nfrom :${amounts.commits - at}\n\n`)
  await new Promise((resolve) => stream.end(resolve))
  await run('sh', ['-c', 'git fast-import --quiet < .git/history'], { cwd: folder })
}
