import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mentionedNames } from '../../../src/render/markdown/mentions.ts'
import { render } from '../../../src/render/render.ts'
import { html, mentionsOf, requestOf } from '../request.ts'

test('every name that could be linked is returned once, in lower case', () => {
  const text = '@User2, (@a.b) [@c-d] @user2. @e\\_f @g_ x@mail.example `@code`'
  assert.deepEqual(mentionedNames(text), ['user2', 'a.b', 'c-d', 'e_f', 'g_', 'g', 'mail.example', 'code'])
})

test('a text causes look-ups of 500 names at most', () => {
  const text = Array.from({ length: 2000 }, (_, index) => `@n${index}`).join(' ')
  assert.equal(mentionedNames(text).length, 500)
})

test('the number of at signs that are checked is limited, so that millions of them delay nobody', () => {
  assert.deepEqual(mentionedNames(`${'@ '.repeat(19_999)}@ada @bob`), ['ada'])
  const marks = ['@', '@a', `@${'.'.repeat(198)}b`, `@${'_'.repeat(198)}b`]
  const before = process.cpuUsage()
  for (const mark of marks) mentionedNames(mark.repeat(Math.floor(8_000_000 / mark.length)))
  // What other processes take meanwhile is not counted.
  const spent = process.cpuUsage(before).user / 1000
  assert.ok(spent < 2000, `${spent} ms`)
})

const linked = (text: string, knownAccounts: string[]) =>
  [
    ...html(render(requestOf(text, { mode: 'comment', knownAccounts }))).matchAll(/localhost:3000\/([^"]*)/g),
  ].map((match) => match[1])

test('only known accounts are linked, in any case, as they were written', () => {
  assert.deepEqual(linked('@User2 @other @a.b. (@c-d), [@user2] @user2’s', ['user2', 'A.B', 'c-d']), [
    'User2',
    'a.b',
    'c-d',
    'user2',
  ])
})

test('a name is linked only between delimiters', () => {
  assert.deepEqual(linked('x@user2 @user2x @user2/x `@user2` "@user2"', ['user2']), [])
  assert.deepEqual(linked("@user2's @user2? @user2! @user2: @user2; (@user2)", ['user2']).length, 6)
})

test('an escaped underscore belongs to the name', () => {
  assert.deepEqual(linked('@e\\_f', mentionedNames('@e\\_f')), ['e_f'])
})

test('an outcome lists the mentions of the rendered text, without names in code', () => {
  const cases: [text: string, names: string[]][] = [
    ['@Ada, @bob: look (@c.d)', ['ada', 'bob', 'c.d']],
    ['@ada and @ADA', ['ada']],
    ['mail ada@example.com, x@bob, "@eve"', []],
    ['@Guild/Devs, (@guild/ops) `@guild/x` [@guild/y](z) @guild/a/b', ['guild/devs', 'guild/ops']],
    ['`@ada` and ``code ` @bob`` but @eve', ['eve']],
    ['one ` @ada', ['ada']],
    ['a ` b\n\n @ada ` c', ['ada']],
    ['~~~ js\n@ada\n```\n@eve\n~~~~\n@bob', ['bob']],
    ['````\n@ada\n```\n@eve', []],
    ['> **@ada** said', ['ada']],
    ['<title>@ada</title> <object>@eve</object>', []],
    ['', []],
    ['@', []],
  ]
  for (const [text, names] of cases) {
    const request = requestOf(text, { mode: 'comment', knownAccounts: mentionedNames(text) })
    assert.deepEqual(mentionsOf(render(request)), names, JSON.stringify(text))
  }
})

test('an outcome names up to 500 accounts and teams', () => {
  const text = Array.from({ length: 2000 }, (_, n) => `@n${n} @g/n${n}`).join(' ')
  const request = requestOf(text, { mode: 'comment', knownAccounts: mentionedNames(text) })
  assert.equal(mentionsOf(render(request)).length, 500)
})
