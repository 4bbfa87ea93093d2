import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cleanName, collection } from '../../../src/forge/templates/collection.ts'

const cleaned: readonly (readonly [requested: string, name: string])[] = [
  ['Go', 'Go'],
  ['C++', 'C++'],
  ['/Go', 'Go'],
  ['///Go', 'Go'],
  ['Go/', 'Go'],
  ['./Go', 'Go'],
  ['../../Go', 'Go'],
  ['Global/../Go', 'Go'],
  ['Global//./Vim', 'Global/Vim'],
  ['Global\\Vim', 'Global/Vim'],
  ['\\..\\Go', 'Go'],
  ['...', '...'],
  [' Go', ' Go'],
  ['', ''],
  ['.', ''],
  ['..', ''],
  ['/', ''],
]

for (const [requested, name] of cleaned) {
  test(`cleanName() turns ${JSON.stringify(requested)} into ${JSON.stringify(name)}`, () => {
    assert.equal(cleanName(requested), name)
  })
}

const items = new Map(
  ['b', 'a', 'B', 'Global/Vim', '\u{1F600}', '\uFB01'].map((name) => [name, () => `${name}!`]),
)

test('a collection lists its names in the order of their bytes', () => {
  assert.deepEqual(collection(items).names, ['B', 'Global/Vim', 'a', 'b', '\uFB01', '\u{1F600}'])
})

test('a collection finds an item by its cleaned name and echoes that name', () => {
  assert.deepEqual(collection(items).find('/x/../Global\\Vim'), {
    name: 'Global/Vim',
    content: 'Global/Vim!',
  })
})

test('a collection tells upper from lower case', () => {
  assert.equal(collection(items).find('b')?.content, 'b!')
  assert.equal(collection(items).find('B')?.content, 'B!')
  assert.equal(collection(items).find('A'), undefined)
})

test('a collection finds no folder, no empty name and no inherited property', () => {
  for (const name of ['Global', 'Global/', '', '..', 'toString', '__proto__', 'a\0']) {
    assert.equal(collection(items).find(name), undefined, name)
  }
})

test('a collection creates an item at its first use, and finds an empty one', () => {
  let made = 0
  const make = () => {
    made++
    return ''
  }
  const lazy = collection(new Map([['x', make]]))
  assert.deepEqual([lazy.names, made], [['x'], 0])
  assert.deepEqual(lazy.find('x'), { name: 'x', content: '' })
  assert.equal(made, 1)
})
