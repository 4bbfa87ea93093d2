import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * A `git` for servers in whose way a test can stand: `before` is a piece of shell that runs ahead of the real program
 * and may take its place (`$real "$@"`). Gives a `PATH` on which it comes first.
 */
export async function gitBehind(folder: string, before: string): Promise<string> {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  const bin = join(folder, 'bin')
  await mkdir(bin, { recursive: true })
  const script = `#!/bin/sh\nreal=${real}\nhere=${folder}\n${before}\nexec "$real" "$@"\n`
  await writeFile(join(bin, 'git'), script, { mode: 0o755 })
  return `${bin}:${process.env.PATH}`
}
