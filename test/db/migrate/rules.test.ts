import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrations } from '../../../src/db/migrate/migrations.ts'
import { breakingStatements } from './breaking.ts'

/** The first files make the whole schema, so no release before can run on it. */
const firstUnderTheRule = '0075'

/**
 * Migrations that the release before cannot run on, or only because it knows the migration that prepared them, with the
 * reason. Each of them inserts what a program must know into `forgehall.required_migration`.
 */
const contractions: Readonly<Record<string, string>> = {
  '0092_unused_functions': 'no program that knows 0074_searches_by_prefix calls them',
}

/** Migrations that change a table which no release has used yet, with the table. */
const ofNewTables: Readonly<Record<string, string>> = { '0089_mail_subjects': 'forgehall.mail' }

const underTheRule = migrations.filter(({ name }) => name >= firstUnderTheRule)

test('the release before can run on each migration, or the list of contractions says why not', () => {
  const breaking = underTheRule
    .filter(({ name }) => !(name in contractions))
    .flatMap(({ name, text }) => {
      const table = ofNewTables[name]
      const found = breakingStatements(text).filter((each) => !table || !each.endsWith(` ${table}`))
      return found.map((each) => `${name}: ${each}`)
    })
  assert.deepEqual(breaking, [], 'sql/README.md says what to do')
})

test('a table that no release has used was made under the rule', () => {
  for (const table of Object.values(ofNewTables))
    assert.ok(
      underTheRule.some(({ text }) => text.includes(`create table ${table} (`)),
      table,
    )
})

test('a contraction says what a program must know to run on it', () => {
  for (const name of Object.keys(contractions)) {
    const text = underTheRule.find((each) => each.name === name)?.text ?? ''
    assert.match(text, /insert into forgehall\.required_migration/, name)
    assert.notDeepEqual(breakingStatements(text), [], `${name} is no contraction`)
  }
})

/** What each statement is found as; undefined: the release before can run on it. */
const cases: readonly (readonly [string, string | undefined])[] = [
  ['alter table a.b drop column c', 'alter table a.b drop column'],
  ['alter table only a.b drop c', 'alter table a.b drop column'],
  ['alter table if exists a.b add d int, drop column if exists c', 'alter table a.b drop column'],
  ['ALTER TABLE a.b RENAME c TO d', 'alter table a.b rename'],
  ['alter table a.b rename to d', 'alter table a.b rename'],
  ['alter index a.b rename to d', 'alter index a.b rename'],
  ['alter table a.b alter column c set not null', 'alter table a.b set not null'],
  ['alter table a.b alter c type bigint using c::bigint', 'alter table a.b change type'],
  ['alter table a.b alter column c set data type bigint', 'alter table a.b change type'],
  ['alter table a.b alter c drop default', 'alter table a.b drop default'],
  ['alter table a.b add column c text not null', 'alter table a.b add column without default'],
  ["alter table a.b add column c text not null default ''", undefined],
  ['alter table a.b add column c int generated always as (d + 1) stored not null', undefined],
  ['alter table a.b add column c text constraint d check (c is null or e)', 'alter table a.b add constraint'],
  ['alter table a.b add column c text references a.d (id)', undefined],
  ["alter table a.b add constraint c check (d <> '')", 'alter table a.b add constraint'],
  ['alter table a.b add unique (c)', 'alter table a.b add constraint'],
  ['alter table a.b validate constraint c', undefined],
  ['drop table if exists a.b', 'drop table a.b'],
  ['drop function a.b(int)', 'drop function a.b'],
  ['drop index a.b', undefined],
  ['drop trigger b on a.b', undefined],
  ['create unique index b on a.b (c)', 'create unique index on a.b'],
  ['create index b on a.b (c)', undefined],
  [
    'create table a.b (c int not null, constraint d check (c > 0)); create unique index e on a.b (c)',
    undefined,
  ],
  ['create table a.b (c int); alter table a.b alter c set not null', undefined],
  ["-- drop table a.b\nselect 'drop table a.b;', $$ drop table a.b; $$, $x$ drop table a.b $x$", undefined],
  ['create function a.b() returns void language sql as $$ delete from a.c; drop table a.b $$', undefined],
  ['drop function pg_temp.b', undefined],
  ['truncate a.b', 'truncate a.b'],
  ["alter type a.b add value 'c'", undefined],
  ['alter type a.b rename attribute c to d', 'alter type a.b rename'],
  ['create policy b on a.b', undefined],
]

for (const [statement, expected] of cases)
  test(`rule: ${statement.replaceAll('\n', ' ')}`, () =>
    assert.deepEqual(breakingStatements(statement), expected === undefined ? [] : [expected]))
