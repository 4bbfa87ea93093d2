import { copyFileSync, mkdirSync, readdirSync, readFileSync, statfsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

/** Bytes that must be free for databases to be kept in memory: those of two test files and much besides. */
const plenty = 2 * 1024 ** 3

/**
 * Where test databases and repositories lie: in memory where Linux offers a folder there and there is room, else among
 * the temporary files. They hold many small files, which a disk takes longer to make and remove.
 */
export const quickFolder = hasRoom('/dev/shm') ? '/dev/shm' : tmpdir()

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return process.platform === 'linux' && Math.min(bavail * bsize, freemem()) > plenty && mayRunFrom(folder)
  } catch {
    return false
  }
}

/** Containers often mount it so that no program runs from there, such as the hooks of a repository. */
function mayRunFrom(folder: string): boolean {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n')
  const options = mounts.map((line) => line.split(' ')).find(([, place]) => place === folder)?.[3]
  return options !== undefined && !options.split(',').includes('noexec')
}

/**
 * A new folder, which is removed after the test, or after the tests of the file; again, if a process that is just ending
 * still writes there.
 */
export async function temporaryFolder(parent = quickFolder): Promise<string> {
  const folder = await mkdtemp(join(parent, 'forgehall-test-'))
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
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
