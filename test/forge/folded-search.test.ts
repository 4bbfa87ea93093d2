import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { letterClasses } from '../../src/forge/protocol/letter-classes.ts'
import { searchPattern } from '../../src/forge/protocol/search-pattern.ts'
import { searchQuery } from '../../src/forge/protocol/search-query.ts'
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

const sign = fc.constantFrom(...'abÄж %_\n\'\\&|!:*()<-"1', '\x01', '한', '😀', 'é')
const word = fc.string({ unit: sign, maxLength: 12 })

test('the index finds a text by each of its parts and each pattern that it has, in its repository alone', async () => {
  const part = fc
    .record({ text: word, at: fc.nat(11), length: fc.integer({ min: 1, max: 12 }) })
    .map(({ text, at, length }) => ({ text, term: [...text].slice(at, at + length).join('') }))
  const pairs = fc
    .sample(fc.oneof(part, fc.record({ text: word, term: word })), 3000)
    .flatMap(({ text, term }) => {
      const search = searchPattern(term)
      const [all, here, there] = search
        ? [searchQuery(search), searchQuery(search, 7), searchQuery(search, 77)]
        : []
      return search && all && here && there ? [{ text, pattern: search.pattern, all, here, there }] : []
    })
  const rows = await pool<{ pattern: string; has: boolean; all: boolean; here: boolean; there: boolean }[]>`
    select pattern, forge.fold(text) like pattern escape '' as has, found.*
    from unnest(${pairs.map(({ text }) => text)}::text[], ${pairs.map(({ pattern }) => pattern)}::text[],
        ${pairs.map(({ all }) => all)}::text[], ${pairs.map(({ here }) => here)}::text[],
        ${pairs.map(({ there }) => there)}::text[]) as pair (text, pattern, all_, here_, there_)
    cross join lateral (select forge.search_vector(7, forge.fold(text)) as vector) as indexed
    cross join lateral (
      select vector @@ all_::tsquery as all, vector @@ here_::tsquery as here, vector @@ there_::tsquery as there
    ) as found`
  assert.ok(rows.filter(({ has }) => has).length > 500)
  for (const { has, all, here, there, ...pair } of rows) {
    assert.ok(all || !has, JSON.stringify(pair))
    assert.deepEqual([here, there], [all, false], JSON.stringify(pair))
  }
  assert.equal(searchQuery({ pattern: '%__%', hasTrigram: false, isFolded: false }, 7), undefined)
})

test('the index has a bounded part of a text, also of the longest letters', async () => {
  const [long] = await pool<[{ hits: number }]>`
    select cardinality(forge.text_grams(forge.searchable(repeat('ä', 1000000)))) as hits`
  assert.ok(long.hits < 65_600, String(long.hits))
  // Each becomes three letters of four bytes, and the ones between differ all.
  const texts = Array.from(
    { length: 40_000 },
    (_, index) => `\u{1d160}${String.fromCodePoint(0x20000 + index)}`,
  )
  const [found] = await pool<[{ lexemes: number; starts: boolean }]>`
    select length(vector) as lexemes, vector @@ ${`'${String.fromCodePoint(0x20001)}':*`}::tsquery as starts
    from (select forge.search_vector(1, forge.searchable(${texts.join('')})) as vector) as indexed`
  assert.ok(found.starts && found.lexemes > 60_000 && found.lexemes <= 87_001, String(found.lexemes))
})
