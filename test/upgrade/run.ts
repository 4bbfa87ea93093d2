import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { presentNames } from '../../src/db/migrate/applied.ts'
import { migrate } from '../../src/db/migrate/migrate.ts'
import { migrations } from '../../src/db/migrate/migrations.ts'
import type { BenchContext } from '../bench/support/bench.ts'
import { settingsOf, withContext } from '../bench/support/context.ts'
import { onDatabase } from '../bench/support/fill.ts'
import { newDatabase } from '../bench/support/servers.ts'
import type { Upgrade } from './parts.ts'
import { buildPrevious, type Previous, previousRelease } from './previous.ts'
import { rolling } from './rolling.ts'
import { withStop } from './with-stop.ts'

/**
 * `npm run upgrade [-- <commit>]`: upgrades from an earlier commit (default: the last tag, or the oldest that can be upgraded) to the present
 * state under load, on PostgreSQL, and back. Where that commit lacks a migration that the schema requires, the upgrade
 * is one with a stop; with `--rolling` it is tried without one all the same, to see what fails. Gives whether nothing
 * did.
 */
async function run(words: readonly string[]): Promise<boolean> {
  const name = words.find((word) => !word.startsWith('--')) ?? previousRelease()
  const folder = mkdtempSync(join(tmpdir(), 'forgehall-upgrade-'))
  console.log(`building ${name}`)
  const previous = buildPrevious(name, folder)
  try {
    return await withContext(import.meta.dirname, settingsOf({}), async (context) => {
      const lacking = await lackingIn(previous, context)
      const stops = lacking.length > 0 && !words.includes('--rolling')
      console.log(
        stops
          ? `${name} lacks ${lacking.join(', ')}: all processes are stopped for the upgrade`
          : `from ${name}, one process after the other, and back`,
      )
      return report(await (stops ? withStop : rolling)(context, previous))
    })
  } finally {
    previous.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Migrations that the present schema requires, and that the earlier program neither has nor has made one by one. */
async function lackingIn(previous: Previous, context: BenchContext): Promise<string[]> {
  const required = await onDatabase(await newDatabase(context, 'required'), async (pool) => {
    await migrate(pool, migrations)
    return await pool<{ name: string }[]>`select name from forgehall.required_migration order by name`
  })
  const known = [...previous.migrations, ...presentNames(previous.migrations)]
  return required.map((row) => row.name).filter((row) => !known.includes(row))
}

/** Outcomes are fine there while programs are exchanged with a stop. */
const excused = 'while the programs are exchanged'

/** An earlier release does not know every path yet. */
const fine = /^(2\d\d|3\d\d|404|done)$/

/** Prints what callers saw in each state and whether anything was lost; gives whether all is well. */
function report({ outcomes, errors, lost, gap }: Upgrade): boolean {
  const states = new Map<string, { answers: number; failures: string[] }>()
  for (const [key, counts] of outcomes) {
    const [state = '', ...operation] = key.split(': ')
    const { answers, failures } = states.get(state) ?? { answers: 0, failures: [] }
    const failed = [...counts].filter(([outcome]) => !fine.test(outcome))
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
    const found = failed.map(
      ([outcome, count]) => `${operation.join(': ')}: ${outcome} × ${count} of ${total}`,
    )
    states.set(state, { answers: answers + total, failures: [...failures, ...found] })
  }
  for (const [state, { answers, failures }] of states)
    console.log(
      [`${state}: ${answers} operations, ${failures.length || 'no'} kinds of failures`, ...failures].join(
        '\n    ',
      ),
    )
  for (const [error, count] of errors) console.log(`in the log of ${error} × ${count}`)
  if (gap !== undefined) console.log(`nobody was answered for ${(gap / 1000).toFixed(1)} s`)
  console.log(`${lost.length} acknowledged posts and issues are missing ${lost.join(', ')}`.trim())
  const isWell = [...states].every(([state, { failures }]) => state === excused || failures.length === 0)
  return isWell && errors.size === 0 && lost.length === 0
}

if (!(await run(process.argv.slice(2)))) process.exitCode = 1
