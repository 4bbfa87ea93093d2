import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after } from 'node:test'
import type { S3Settings } from '../../../src/blobs/s3/settings.ts'
import { parseS3Url } from '../../../src/blobs/s3/settings.ts'
import type { Environment } from '../binary.ts'
import { type Proxy as Line, openProxy } from '../proxy.ts'

/** A part of a real S3-compatible store that only this file uses, behind a line that can be cut. */
export interface TestStore {
  line: Line
  settings: S3Settings
  /** The same as environment variables. */
  environment: Environment
}

const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
const bucket = 'contents'

/**
 * s3rver as a process of its own: it prints its port when it takes requests. It needs the old ciphers of OpenSSL for
 * lists of several pages.
 */
const program = `
  const S3rver = require('@20minutes/s3rver')
  const [directory] = process.argv.slice(1)
  new S3rver({ directory, port: 0, address: '127.0.0.1', silent: true, configureBuckets: [{ name: '${bucket}' }] })
    .run().then(({ port }) => console.log(port))`

/**
 * Starts s3rver, which checks signatures, for the tests of this file; or uses the bucket that `TEST_S3_URL` names, with
 * `TEST_S3_ACCESS_KEY_ID` and `TEST_S3_SECRET_ACCESS_KEY`.
 */
export async function openStore(): Promise<TestStore> {
  const { TEST_S3_URL, TEST_S3_ACCESS_KEY_ID, TEST_S3_SECRET_ACCESS_KEY } = process.env
  const line = await openProxy(TEST_S3_URL ?? (await startS3rver()))
  after(() => line.close())
  const { accessKeyId, secretAccessKey } = {
    accessKeyId: TEST_S3_ACCESS_KEY_ID ?? credentials.accessKeyId,
    secretAccessKey: TEST_S3_SECRET_ACCESS_KEY ?? credentials.secretAccessKey,
  }
  const S3_URL = `${line.url.replace(/\/$/, '')}/${randomUUID()}`
  const parsed = parseS3Url(S3_URL)
  if (!parsed.ok) throw new Error(parsed.fault)
  return {
    line,
    settings: { ...parsed.value, accessKeyId, secretAccessKey, region: undefined },
    environment: { S3_URL, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey },
  }
}

async function startS3rver(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'forgehall-s3-'))
  const child = spawn(process.execPath, ['--openssl-legacy-provider', '-e', program, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  after(async () => {
    process.off('exit', kill)
    kill()
    await ended
    await rm(folder, { recursive: true })
  })
  const lines = createInterface(child.stdout)
  const [port]: string[] = await once(lines, 'line')
  lines.close()
  return `http://127.0.0.1:${port}/${bucket}`
}
