import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { CODE_CACHE_PLACE } from './program.ts'

/**
 * Starts and stops the server in a built file, and puts what V8 has made of its program by then into that file: each
 * start would make it again.
 */
export async function addCodeCache(file: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'forgehall-code-cache-'))
  try {
    const cache = join(folder, 'cache')
    await startAndStop(resolve(file), folder, cache)
    const text = await readFile(file, 'latin1')
    await writeFile(file, text.replace(CODE_CACHE_PLACE, await readFile(cache, 'base64')), 'latin1')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function startAndStop(file: string, folder: string, cache: string): Promise<void> {
  const recorder = resolve('src/build/recorder.mjs')
  const { PATH = '' } = process.env
  const server = spawn(process.execPath, ['--import', recorder, file], {
    cwd: folder,
    env: { PATH, PORT: '0', HOST: '127.0.0.1', CODE_CACHE: cache },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
  })
  let said = ''
  const read = (text: string) => {
    said += text
    if (!server.killed && said.includes('"message":"ready"')) server.kill()
  }
  server.stdout.setEncoding('utf8').on('data', read)
  server.stderr.setEncoding('utf8').on('data', read)
  const [code] = await once(server, 'exit')
  if (code !== 0) throw new Error(`The built file does not start and stop:\n${said}`)
}
