import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { BenchContext } from '../bench/support/bench.ts'
import { type Kind, newDatabase, newFolder, startProduct } from '../bench/support/servers.ts'
import type { Fault, Finding } from './support/fault.ts'
import { dataIn, last } from './support/on-postgres.ts'
import { storedIn, underLoad } from './support/under-load.ts'

/** The server is killed and started again on the same port a second later. */
async function killServer(context: BenchContext, kind: Kind): Promise<Finding> {
  const name = `faults_server_${kind.toLowerCase()}`
  const place = kind === 'PostgreSQL' ? await newDatabase(context, name) : newFolder(context, name)
  const settings = kind === 'PostgreSQL' ? dataIn(context, name) : { ADMIN_PASSWORD: 'a password for faults' }
  let server = await startProduct(context, place, { settings })
  const { port } = server
  let isRunning = true
  const stop = async () => {
    if (isRunning) await server.stop()
    isRunning = false
  }
  const bring = async () => {
    await server.kill()
    isRunning = false
    await last(1_000)
    server = await startProduct(context, place, { settings, port })
    isRunning = true
  }
  const stored = async () => {
    await stop()
    return storedIn(place)
  }
  try {
    return await underLoad({ port }, bring, stored)
  } finally {
    await stop()
  }
}

export const serverKilled: Fault = {
  name: 'server-killed',
  title: 'the server on PostgreSQL killed with `kill -9`, started again 1 s later',
  bring: (context) => killServer(context, 'PostgreSQL'),
}

export const embeddedKilled: Fault = {
  name: 'server-killed-embedded',
  title: 'the server with its embedded database killed with `kill -9`, started again 1 s later',
  bring: (context) => killServer(context, 'embedded'),
}

const keys = {
  right: 'the key of the database which is long enough',
  wrong: 'another key which is as long as a key has to be',
}

export const wrongKey: Fault = {
  name: 'wrong-key',
  title: 'a start with a `SECRET_KEY` that is not the key of the database, then one with the right key',
  bring: async (context) => {
    const place = await newDatabase(context, 'faults_key')
    const settings = { ...dataIn(context, 'data-key'), SECRET_KEY: keys.right }
    let server = await startProduct(context, place, { settings })
    const { port } = server
    let said = ''
    const bring = async () => {
      await server.stop()
      said = await refusal(context.product, { ...settings, DATABASE_URL: place.url, SECRET_KEY: keys.wrong })
      server = await startProduct(context, place, { settings, port })
    }
    try {
      const finding = await underLoad({ port }, bring, () => storedIn(place))
      return { ...finding, note: `The start with the other key said: ${said}` }
    } finally {
      await server.stop()
    }
  },
}

/** What a server says that refuses to start. @throws Error unless that is one sentence and exit code 2 */
async function refusal(product: string, environment: Record<string, string>): Promise<string> {
  const env = { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', ...environment }
  const child = spawn(process.execPath, [product], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const [code] = await once(child, 'close')
  if (code !== 2 || said.trim().split('\n').length !== 1)
    throw new Error(`A start with another key ended with code ${code} and said: ${said}`)
  return `“${said.trim()}”, exit code ${code}.`
}
