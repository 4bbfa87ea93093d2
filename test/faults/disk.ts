import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { newDatabase, startProduct } from '../bench/support/servers.ts'
import type { Fault } from './support/fault.ts'
import { dataIn, last } from './support/on-postgres.ts'
import { onSmallDisk, whileFull } from './support/small-disk.ts'
import { storedIn, underLoad } from './support/under-load.ts'

const administrator = { ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'a password for faults' }

const authorization = `Basic ${Buffer.from(Object.values(administrator).join(':')).toString('base64')}`

/** Publishes a package of a megabyte, makes a repository, and commits a file of 100 kB to it or the one before. */
async function use(port: number, name: string): Promise<string> {
  const root = `http://127.0.0.1:${port}/api`
  const json = { authorization, 'content-type': 'application/json' }
  const post = (path: string, body: object) =>
    fetch(`${root}/v1${path}`, { method: 'POST', headers: json, body: JSON.stringify(body) })
  const content = randomBytes(100_000).toString('base64')
  const answers = [
    await fetch(`${root}/packages/root/generic/faults/${name}/file`, {
      method: 'PUT',
      headers: { authorization },
      body: Buffer.alloc(1e6, name),
    }),
    await post('/user/repos', { name, auto_init: true, default_branch: 'main' }),
    await post(`/repos/root/before/contents/${name}`, { content }),
  ]
  await Promise.all(answers.map((answer) => answer.arrayBuffer()))
  return answers.map(({ status }) => status).join(', ')
}

/** @throws Error unless git finds every object whole that the repository needs */
async function check(dataDir: string): Promise<void> {
  const cwd = join(dataDir, 'repositories', 'root', 'before.git')
  const args = ['fsck', '--strict', '--full', '--no-dangling']
  const { stdout, stderr } = await promisify(execFile)('git', args, { cwd })
  if (`${stdout}${stderr}` !== '') throw new Error(`git fsck says: ${stdout}${stderr}`)
}

export const diskFull: Fault = {
  name: 'disk-full',
  title: 'no space left for `DATA_DIR`, with the database on another disk; the space comes back',
  bring: (context) =>
    onSmallDisk(context, 'small', 16, async (dataDir) => {
      const place = await newDatabase(context, 'faults_disk')
      const settings = { ...administrator, DATA_DIR: dataDir }
      const server = await startProduct(context, place, { settings })
      const statuses = [await use(server.port, 'before')]
      const bring = async () => {
        await whileFull(dataDir, async () => {
          statuses.push(await use(server.port, 'meanwhile'))
          await last()
        })
        statuses.push(await use(server.port, 'afterwards'))
      }
      try {
        const finding = await underLoad({ port: server.port }, bring, () => storedIn(place))
        await check(dataDir)
        const [before, meanwhile, afterwards] = statuses
        const note = `An upload of a package, a new repository and a commit by API before: ${before}; meanwhile: ${meanwhile}; afterwards: ${afterwards}. Then git fsck finds nothing.`
        return { ...finding, note }
      } finally {
        await server.stop()
      }
    }),
}

export const logFull: Fault = {
  name: 'log-full',
  title: 'no space left for the log (`>>` to a file); the space comes back after 3 s',
  bring: (context) =>
    onSmallDisk(context, 'small-log', 16, async (folder) => {
      const place = await newDatabase(context, 'faults_log')
      const log = join(folder, 'log')
      const settings = dataIn(context, 'data-log')
      const server = await startProduct(context, place, { settings, log, logLevel: 'info' })
      const lines = () => readFileSync(log, 'utf8').split('\n').length - 1
      const counts: number[] = []
      const bring = async () => {
        await whileFull(folder, async () => {
          counts.push(lines())
          await last()
          counts.push(lines())
        })
      }
      try {
        const finding = await underLoad({ port: server.port }, bring, () => storedIn(place))
        const [full = 0, cleared = 0] = counts
        const note = `Lines that were written meanwhile: ${cleared - full}, afterwards: ${lines() - cleared}.`
        return { ...finding, note }
      } finally {
        await server.stop()
      }
    }),
}

export const diskFullEmbedded: Fault = {
  name: 'disk-full-embedded',
  title: 'no space left for `DATA_DIR` with the embedded database in it; the space comes back after 3 s',
  bring: (context) =>
    onSmallDisk(context, 'small-embedded', 300, async (dataDir) => {
      const place = { dataDir }
      const server = await startProduct(context, place, { settings: administrator })
      let isRunning = true
      const stop = async () => {
        if (isRunning) await server.stop()
        isRunning = false
      }
      const bring = () => whileFull(dataDir, last)
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
