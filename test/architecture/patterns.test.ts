import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Pattern, patternsOf } from './patterns.ts'

/** The part of `recheck` that is used: its pure JavaScript, which starts no other program. */
interface Checker {
  checkSync(source: string, flags: string, parameters: Readonly<Record<string, unknown>>): Verdict
}
interface Verdict {
  status: 'safe' | 'vulnerable' | 'unknown'
  complexity?: { summary: string }
  error?: { kind: string }
}
const checker: Checker = createRequire(join(process.cwd(), 'package.json'))('recheck/lib/browser.js')

/** What runs only while the program is bundled, over files of this project and its packages. */
const isBundling = (path: string) => path.startsWith('src/build/')

/**
 * Patterns that the checker cannot judge, or judges for texts they never meet: why they take linear time all the same.
 */
const known: readonly { place: string; part: string; why: string }[] = [
  {
    place: 'src/render/markdown/emoji.ts',
    part: 'RGI_Emoji',
    why: 'a property of fixed sequences, none of them longer than some ten characters; the checker knows no flag v',
  },
  {
    place: 'src/render/markdown/references.ts',
    part: '([\\w.-]{1,100})/([\\w.-]{1,100})([#!])',
    why: 'from each delimiter, behind which alone it begins, it reads names of 100 characters at most',
  },
  {
    place: 'src/render/markdown/references.ts',
    part: '{0,63}@',
    why: 'it begins only where no character of its class stands before, and has repetitions of 64 at most up to the @',
  },
]

/** The same for every run; the time is for a machine with much else to do. */
const parameters = { timeout: 120_000, randomSeed: 1 }

/**
 * Patterns that were judged before: all of them together take minutes, and the verdict on a pattern never changes.
 * `npm run accept` judges the new ones and writes the list anew; what is not in it is judged in every run.
 */
const list = join('test', 'contract', 'patterns.txt')

const check = ({ source, flags }: Pick<Pattern, 'source' | 'flags'>) =>
  checker.checkSync(source, flags, parameters)

test('the checker tells patterns that take quadratic or exponential time', () => {
  for (const source of ['[.,:;!?*_~]+$', '^\\$+|\\$+$', '^(a|a)*$', '^\\s*a?\\s*$'])
    assert.equal(check({ source, flags: '' }).status, 'vulnerable', source)
  assert.equal(check({ source: '^[a-z]+$', flags: '' }).status, 'safe')
})

const patterns = patternsOf((path) => path.startsWith('src/') && !isBundling(path))
const excuseOf = ({ place, source }: Pattern) =>
  known.find((each) => place.startsWith(`${each.place}:`) && source.includes(each.part))

test('patterns are found where they are written and where they are built', () => {
  assert.ok(patterns.length > 250, `${patterns.length}`)
  assert.ok(patterns.filter(({ built }) => built).length > 10)
  const mention = patterns.find(
    ({ place, built }) => built && place.startsWith('src/render/markdown/mentions.ts:'),
  )
  assert.match(mention?.source ?? '', /^\(\?<=\^\|\[\\s\(\\\[\]\)@\(\[\\w-\]\+/)
})

const nameOf = ({ source, flags }: Pattern) => `/${source}/${flags}`

/** After each verdict, so that a run that is cut off has not been in vain. */
function accept(names: Iterable<string>): void {
  if (process.env.ACCEPT) writeFileSync(list, `${[...names].sort().join('\n')}\n`)
}

test('no pattern takes more than linear time', () => {
  const different = new Map(patterns.filter((each) => !excuseOf(each)).map((each) => [nameOf(each), each]))
  const judged = readFileSync(list, 'utf8').split('\n')
  const linear = new Set(judged.filter((name) => different.has(name)))
  const faults: string[] = []
  accept(linear)
  for (const [name, pattern] of different) {
    if (linear.has(name)) continue
    const { status, complexity, error } = check(pattern)
    if (status === 'safe') accept(linear.add(name))
    else faults.push(`${pattern.place} ${name}: ${complexity?.summary ?? error?.kind}`)
  }
  assert.deepEqual(faults, [])
})

test('no excuse outlives its pattern', () => {
  for (const excuse of known) {
    const excused = patterns.filter((pattern) => excuseOf(pattern) === excuse)
    assert.ok(excused.length > 0, `${excuse.place} ${excuse.part}`)
  }
})
