import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchContext } from '../../bench/support/bench.ts'
import type { Finding, Skipped } from './fault.ts'

/** Mounts a small file system in memory, works in it, and unmounts it. */
export async function onSmallDisk(
  { folder }: BenchContext,
  name: string,
  megabytes: number,
  work: (dataDir: string) => Promise<Finding>,
): Promise<Finding | Skipped> {
  const dataDir = join(folder, name)
  mkdirSync(dataDir)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', dataDir], { stdio: 'ignore' })
  } catch {
    return { skipped: 'a small file system can only be mounted by root' }
  }
  try {
    return await work(dataDir)
  } finally {
    execFileSync('umount', ['-l', dataDir])
  }
}

/** Does `work` while no byte is left in the folder. */
export async function whileFull(folder: string, work: () => Promise<unknown>): Promise<void> {
  const filler = join(folder, 'filler')
  fillUp(filler)
  await work()
  rmSync(filler)
}

function fillUp(path: string): void {
  const file = openSync(path, 'w')
  try {
    for (let size = 1 << 20; size >= 1; size >>= 1) writeUntilFull(file, Buffer.alloc(size))
  } finally {
    closeSync(file)
  }
}

function writeUntilFull(file: number, bytes: Buffer): void {
  try {
    while (writeSync(file, bytes) === bytes.length);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}
