import { copyFileSync, mkdirSync, readdirSync, statfsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

/** A new folder, which is removed after the test, or after the tests of the file. */
export async function temporaryFolder(parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, 'forgehall-test-'))
  after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Bytes that must be free for databases to be kept in memory: those of two test files and much besides. */
const plenty = 2 * 1024 ** 3

/**
 * Where test databases lie: in memory where Linux offers a folder there and there is room, else among the temporary
 * files. They hold many small files, which a disk takes longer to make and remove.
 */
export const quickFolder = hasRoom('/dev/shm') ? '/dev/shm' : tmpdir()

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return process.platform === 'linux' && Math.min(bavail * bsize, freemem()) > plenty
  } catch {
    return false
  }
}

/** Copies what is in a folder into one that is there: many small files, with which `fs.promises.cp` takes its time. */
export function copyFolder(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) {
      mkdirSync(target, { mode: 0o700 })
      copyFolder(source, target)
    } else {
      copyFileSync(source, target)
    }
  }
}
