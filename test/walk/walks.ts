import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { build } from 'esbuild'
import { tests } from '../../tsup.config.ts'
import { instrument } from './instrument.ts'

/** One request: the files whose functions it enters, in order, without repetitions in a row. */
export interface Walk {
  name: string
  files: readonly string[]
}

/** Bundles `requests.ts` with instrumented sources into `folder`, runs it on an embedded database, and returns its walks. */
export async function takeWalks(folder: string): Promise<Walk[]> {
  const outfile = join(folder, 'requests.mjs')
  const { define = {}, esbuildPlugins = [] } = tests
  await build({
    entryPoints: ['test/walk/requests.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    define,
    plugins: [instrument, ...esbuildPlugins],
    logLevel: 'error',
  })
  const { DATABASE_URL: _, ...env } = process.env
  const program = fork(outfile, { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const walks: Walk[] = []
  let output = ''
  program.stdout?.on('data', (chunk: Buffer) => {
    output += chunk
  })
  // Node sends messages of its own to a process that a test starts.
  program.on('message', ({ name, files }: Partial<Walk>) => {
    if (name !== undefined && files) walks.push({ name, files: withoutRuns(files) })
  })
  const [status] = await once(program, 'close')
  if (status !== 0) throw new Error(`the requests cannot be walked: ${output}`)
  return walks
}

const withoutRuns = (files: readonly string[]) => files.filter((file, at) => file !== files[at - 1])
