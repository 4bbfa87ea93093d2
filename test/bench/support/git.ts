import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
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
