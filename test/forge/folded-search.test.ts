import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { letterClasses } from '../../src/forge/protocol/letter-classes.ts'
import { searchPattern } from '../../src/forge/protocol/search-pattern.ts'
import { startApp } from '../support/app.ts'

const { call, make, pool } = await startApp()
const boss = await make.admin({ name: 'boss' })
const names = {
  ivan: 'Иван Петров',
  aerger: 'Jörg Ärger',
  decomposed: 'Zoe\u0308 Decomposed',
  odos: 'ΟΔΟΣ ΣΟΦΙΑΣ',
  hayk: 'Հայկ',
  plain: 'Ivan Plain',
}
for (const [name, full_name] of Object.entries(names)) await make.person({ name, full_name })
await call('POST /api/v1/user/repos', { as: boss, body: { name: 'tool' } })
const params = { owner: 'boss', repo: 'tool' }
for (const title of Object.values(names))
  await call('POST /api/v1/repos/{owner}/{repo}/issues', {
    as: boss,
    params,
    body: { title: `About ${title}` },
  })

const found: readonly (readonly [string, readonly (keyof typeof names)[]])[] = [
  ['иван', ['ivan']],
  ['ИВАН', ['ivan']],
  ['ПЕТР', ['ivan']],
  ['ärger', ['aerger']],
  ['JÖRG', ['aerger']],
  ['jo\u0308rg', ['aerger']],
  ['ZOË', ['decomposed']],
  ['οδος', ['odos']],
  ['σοφιας', ['odos']],
  ['ΣΟΦΙ', ['odos']],
  ['ՀԱՅԿ', ['hayk']],
  ['IVAN P', ['plain']],
  ['arger', []],
  ['иванн', []],
  ['%ван_пет%', ['ivan']],
  ['ив_н петр', ['ivan']],
]

for (const [q, expected] of found)
  test(`GET /api/v1/users/search, /admin/users and issues: ${JSON.stringify(q)} finds ${expected}`, async () => {
    const users = await call('GET /api/v1/users/search', { query: { q } })
    assert.deepEqual(
      users.body.data.map(({ login }: { login: string }) => login),
      expected,
    )
    const all = await call('GET /api/v1/admin/users', { as: boss, query: { q } })
    assert.deepEqual(
      all.body.map(({ login }: { login: string }) => login),
      expected,
    )
    const issues = await call('GET /api/v1/repos/{owner}/{repo}/issues', { as: boss, params, query: { q } })
    assert.deepEqual(
      issues.body.map(({ title }: { title: string }) => title),
      expected.map((key) => `About ${names[key]}`),
    )
    // As in a repository with many issues, where the index is used.
    await pool`update forge.repository set last_issue = last_issue + 5000`
    const indexed = await call('GET /api/v1/repos/{owner}/{repo}/issues', { as: boss, params, query: { q } })
    await pool`update forge.repository set last_issue = last_issue - 5000`
    assert.deepEqual(indexed.body, issues.body)
    const everywhere = await call('GET /api/v1/repos/issues/search', { as: boss, query: { q } })
    assert.equal(everywhere.body.length, expected.length)
  })

test('the server and the database fold letters alike', async () => {
  const letter = fc.constantFrom(...'äÄßẞİıΣσςЖжЁёЙÇçﬁÅa\u0308ǄǅԱա한Zé٣')
  const texts = fc.sample(fc.string({ unit: letter, minLength: 1, maxLength: 6 }), 300)
  const rows = await pool<{ text: string; folded: string }[]>`
    select text, forge.fold(text) as folded from unnest(${texts}::text[]) as text`
  for (const { text, folded } of rows) assert.equal(`%${folded}%`, searchPattern(text)?.pattern, text)
})

test('a text is compared with a pattern as if it had been folded', async () => {
  const letter = fc.constantFrom(
    ...'aAkKiIzäÄßẞİıΣσςЖжЙи\u0306Çﬁa\u0308\u0327ǄǅԱա한ᄒ\u1161\u212aÅé.*+[\\^$(|?\n 😀θϴ;\u037e',
    'か\u3099',
  )
  const text = fc.string({ unit: letter, maxLength: 8 })
  const term = fc.string({ unit: fc.oneof(letter, fc.constantFrom('%', '_')), minLength: 1, maxLength: 3 })
  // One half of the terms are parts of their text.
  const pair = fc.oneof(
    fc.record({ text, term }),
    fc
      .record({ text, at: fc.nat(5) })
      .map((each) => ({ text: each.text, term: each.text.slice(each.at, each.at + 2) })),
  )
  const pairs = fc.sample(pair, 3000).flatMap(({ text, term }) => {
    const pattern = searchPattern(term)?.pattern
    return pattern === undefined ? [] : [{ text, pattern, expression: letterClasses(pattern) }]
  })
  const rows = await pool<{ text: string; pattern: string; found: boolean; expected: boolean }[]>`
    select text, pattern, forge.text_like(text, pattern, expression) as found,
      forge.fold(text) like pattern escape '' as expected
    from unnest(${pairs.map((each) => each.text)}::text[], ${pairs.map(({ pattern }) => pattern)}::text[],
      ${pairs.map(({ expression }) => expression)}::text[]) as pair (text, pattern, expression)`
  assert.ok(rows.filter(({ expected }) => expected).length > 300)
  for (const { found, expected, ...pair } of rows) assert.equal(found, expected, JSON.stringify(pair))
})

test('the index has every three characters of a text, however it is cut', async () => {
  const letter = fc.constantFrom(..."abÄж %_\n'\\", '한', '😀', 'é')
  const texts = fc.sample(fc.string({ unit: letter, maxLength: 12 }), 300)
  const rows = await pool<{ text: string }[]>`
    select text
    from unnest(${texts}::text[]) as text
    where not forge.text_grams(text) @> coalesce(forge.grams(text), '{}')`
  assert.deepEqual([...rows], [])
  const [long] = await pool<[{ hits: number }]>`
    select cardinality(forge.text_grams(forge.searchable(repeat('ä', 1000000)))) as hits`
  assert.ok(long.hits < 65_600, String(long.hits))
})
