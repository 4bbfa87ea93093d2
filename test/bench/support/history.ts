import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createWriteStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { git } from './git.ts'

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
  await promisify(execFile)('sh', ['-c', 'git fast-import --quiet < .git/history'], { cwd: folder })
}
