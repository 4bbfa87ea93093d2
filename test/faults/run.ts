import { writeFileSync } from 'node:fs'
import { settingsOf, withContext } from '../bench/support/context.ts'
import { faults } from './list.ts'
import { complaintsOf } from './support/fault.ts'
import { machineLoad, pageOf, rowOf, rowWithout } from './support/report.ts'

/**
 * Brings the faults whose names contain a word of the command line, or all, and prints the table. A run of all of them
 * writes it to `docs/faults.md`. Gives whether nothing was wrong.
 */
async function run(words: readonly string[]): Promise<boolean> {
  const chosen = faults.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
  const load = machineLoad()
  const rows: string[] = []
  let isWell = chosen.length > 0
  await withContext(import.meta.dirname, settingsOf({}), async (context) => {
    for (const fault of chosen) {
      context.say(`— ${fault.name}`)
      try {
        const found = await fault.bring(context)
        if (!('skipped' in found)) isWell &&= complaintsOf(found).length === 0
        rows.push(
          'skipped' in found ? rowWithout(fault, `Not injected: ${found.skipped}.`) : rowOf(fault, found),
        )
      } catch (error) {
        isWell = false
        console.error(error)
        rows.push(rowWithout(fault, '**The run failed**'))
      }
      context.say(rows.at(-1) ?? '')
    }
  })
  const page = pageOf(rows, load)
  console.log(`\n${page}`)
  if (words.length === 0) writeFileSync('docs/faults.md', page)
  return isWell
}

if (!(await run(process.argv.slice(2)))) process.exitCode = 1
