import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'
import type { BenchContext, Settings } from './bench.ts'

/** What is measured when nothing else is asked for. */
export const thorough: Settings = { seconds: 3, rounds: 3, rows: 1_000_000 }

/** The settings that the environment asks for. */
export function settingsOf(environment: Readonly<Record<string, string | undefined>>): Settings {
  const number = (name: string, otherwise: number) => Number(environment[name] ?? otherwise)
  return {
    seconds: number('BENCH_SECONDS', thorough.seconds),
    rounds: number('BENCH_ROUNDS', thorough.rounds),
    rows: number('BENCH_ROWS', thorough.rows),
  }
}

/** Who stops the bench ends what it started: that happens when the process exits. */
const stops = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const

/**
 * Gives a context to `work` and removes afterwards what was started and written in it.
 * @param built folder of the bundled scripts, `.build/bench` of the repository
 */
export async function withContext<Result>(
  built: string,
  settings: Settings,
  work: (context: BenchContext) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'forgehall-bench-'))
  const clear = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', clear)
  for (const [signal, code] of stops) process.once(signal, () => process.exit(code))
  let server: Promise<PostgresServer> | undefined
  try {
    return await work({
      product: resolve(built, '../../dist/forgehall.cjs'),
      script: (name) => join(built, `${name}.js`),
      folder,
      postgres: () => {
        server ??= startPostgres({ fsync: true })
        return server
      },
      settings,
      say: (line) => console.log(line),
    })
  } finally {
    const started = await server?.catch(() => undefined)
    started?.remove()
    clear()
  }
}
