import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Ground } from '../bench/support/bench.ts'
import { newDatabase, startProduct } from '../bench/support/servers.ts'
import type { Fault, Finding, Skipped } from './support/fault.ts'
import { last } from './support/on-postgres.ts'
import { storedIn, underLoad } from './support/under-load.ts'

/** Mounts a small file system in memory, works in it, and unmounts it. */
async function onSmallDisk(
  { folder }: Ground,
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

const filler = 'filler'

/** Writes a file until no byte is left. */
function fillUp(dataDir: string): void {
  const file = openSync(join(dataDir, filler), 'w')
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

const administrator = { ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'a password for faults' }

/** Publishes a package of a megabyte; gives the status. */
async function upload(port: number, version: string): Promise<number> {
  const words = Buffer.from(`${administrator.ADMIN_USERNAME}:${administrator.ADMIN_PASSWORD}`)
  const url = `http://127.0.0.1:${port}/api/packages/root/generic/faults/${version}/file`
  const headers = { authorization: `Basic ${words.toString('base64')}` }
  const answer = await fetch(url, { method: 'PUT', headers, body: Buffer.alloc(1e6, version) })
  await answer.arrayBuffer()
  return answer.status
}

export const diskFull: Fault = {
  name: 'disk-full',
  title: 'no space left for `DATA_DIR`, with the database on another disk; the space comes back',
  bring: (ground) =>
    onSmallDisk(ground, 'small', 16, async (dataDir) => {
      const place = await newDatabase(ground, 'faults_disk')
      const settings = { ...administrator, DATA_DIR: dataDir }
      const server = await startProduct(ground, place, { settings })
      const statuses: number[] = [await upload(server.port, '1')]
      const bring = async () => {
        fillUp(dataDir)
        statuses.push(await upload(server.port, '2'))
        await last()
        rmSync(join(dataDir, filler))
        statuses.push(await upload(server.port, '3'))
      }
      try {
        const finding = await underLoad({ port: server.port }, bring, () => storedIn(place))
        const note = `Uploads of a package before, meanwhile and afterwards: ${statuses.join(', ')}.`
        return { ...finding, note }
      } finally {
        await server.stop()
      }
    }),
}

export const diskFullEmbedded: Fault = {
  name: 'disk-full-embedded',
  title: 'no space left for `DATA_DIR` with the embedded database in it; the space comes back after 3 s',
  bring: (ground) =>
    onSmallDisk(ground, 'small-embedded', 300, async (dataDir) => {
      const place = { dataDir }
      const server = await startProduct(ground, place, { settings: administrator })
      let isRunning = true
      const stop = async () => {
        if (isRunning) await server.stop()
        isRunning = false
      }
      const bring = async () => {
        fillUp(dataDir)
        await last()
        rmSync(join(dataDir, filler))
      }
      const stored = async () => {
        await stop()
        return storedIn(place)
      }
      try {
        return await underLoad({ port: server.port }, bring, stored)
      } finally {
        await stop()
      }
    }),
}
