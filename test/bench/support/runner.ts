import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { benches } from '../list.ts'
import { type Bench, isMet } from './bench.ts'
import { settingsOf, thorough, withContext } from './context.ts'
import { madeOn } from './machine.ts'
import { merge, sectionOf } from './markdown.ts'

const head = `# Measurements

Written by \`npm run bench\`, which measures the built file; \`npm run bench -- <word>\` replaces one section. A machine
that does other work at the same time lowers the rates of all, and not of all alike: then the processor time of a
request says more than the rate.

`

/**
 * Runs benches, prints what they found and puts it into `results.md`; gives whether every target was met.
 * @param built folder of the bundled scripts, `.build/bench` of the repository
 */
export async function runBenches(chosen: readonly Bench[], built: string): Promise<boolean> {
  const settings = settingsOf(process.env)
  const sections = new Map<string, string>()
  let met = true
  await withContext(built, settings, async (context) => {
    for (const bench of chosen) {
      context.say(`— ${bench.name}`)
      const report = await bench.run(context)
      const section = sectionOf(bench, report, madeOn())
      sections.set(bench.name, section)
      met &&= report.targets.every(isMet)
      context.say(`\n${section}`)
    }
  })
  // A hasty measurement is shown and not kept.
  if (isDeepStrictEqual(settings, thorough)) keep(sections, resolve(built, '../../test/bench/results.md'))
  return met
}

function keep(sections: ReadonlyMap<string, string>, results: string): void {
  const before = existsSync(results) ? readFileSync(results, 'utf8') : head
  const names = benches.map(({ name }) => name)
  writeFileSync(results, merge(before, sections, names))
}
