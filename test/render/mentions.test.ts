import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mentionedNames } from '../../src/render/mentions.ts'
import { render } from '../../src/render/render.ts'
import { html, requestOf } from './request.ts'

test('every name that could be linked is found once, in lower case', () => {
  const text = '@User2, (@a.b) [@c-d] @user2. @e\\_f @g_ x@mail.example `@code`'
  assert.deepEqual(mentionedNames(text), ['user2', 'a.b', 'c-d', 'e_f', 'g_', 'g', 'mail.example', 'code'])
})

test('a text cannot ask for more than 500 names', () => {
  const text = Array.from({ length: 2000 }, (_, index) => `@n${index}`).join(' ')
  assert.equal(mentionedNames(text).length, 500)
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
