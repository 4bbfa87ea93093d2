import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { benches } from '../list.ts'
import { type Bench, isMet } from './bench.ts'
import { settingsOf, thorough, withContext } from './context.ts'
import { madeOn } from './machine.ts'
import { merge, sectionOf } from './markdown.ts'
import { summaryOf } from './summary.ts'

const head = `# Measurements

\`npm run bench\` writes this page. It measures the built file; \`npm run bench -- <word>\` replaces one section.

The machine is shared and its speed changes from second to second, so **compare ratios, not rates**: everything that is
compared is measured in the same rounds, one after the other. A figure is the median of its rounds; in brackets are the
two quartiles, between which half of the rounds lie. A target whose bound lies between the quartiles may be met in one run
and missed in the next.

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
  const before = existsSync(results) ? readFileSync(results, 'utf8') : ''
  const names = benches.map(({ name }) => name)
  const all = merge(before, sections, names)
  writeFileSync(results, `${[head, summaryOf(all), ...all.values()].join('').trimEnd()}\n`)
}
