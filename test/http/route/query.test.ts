import assert from 'node:assert/strict'
import { test } from 'node:test'
import { first, readQuery } from '../../../src/http/route/query.ts'

test('the value of a name is a string, that of a repeated name an array in order', () => {
  assert.deepEqual({ ...readQuery('/a?b=1&c=x&b=2') }, { b: ['1', '2'], c: 'x' })
})

test('without a query there is nothing, and a bare mark says nothing', () => {
  assert.deepEqual({ ...readQuery('/a') }, {})
  assert.deepEqual({ ...readQuery('/a?') }, {})
  assert.deepEqual({ ...readQuery('/a?&&') }, {})
})

test('plus is a blank, escapes are decoded, and only the first mark begins the query', () => {
  assert.deepEqual(
    { ...readQuery('/a?b=c+d%2Be&f=%F0%9D%84%9E&g=1?2=3') },
    { b: 'c d+e', f: '𝄞', g: '1?2=3' },
  )
})

test('a name without a value has an empty one', () => {
  assert.deepEqual({ ...readQuery('/a?b&c=') }, { b: '', c: '' })
})

test('broken escapes never throw', () => {
  assert.equal(readQuery('/a?b=%zz').b, '%zz')
  assert.doesNotThrow(() => readQuery('/a?%=%&%C3=%ED%A0%80'))
})

test('names of the language itself are names like others', () => {
  const query = readQuery('/a?__proto__=x&constructor=y&b=1')
  assert.equal(query.constructor, 'y')
  assert.equal(query.b, '1')
  assert.equal(readQuery('/a?b=1').toString, undefined)
  assert.equal(({} as Record<string, unknown>).x, undefined)
})

test('first gives the first of several, the only one, or nothing', () => {
  const query = readQuery('/a?b=1&b=2&c=3')
  assert.equal(first(query, 'b'), '1')
  assert.equal(first(query, 'c'), '3')
  assert.equal(first(query, 'd'), undefined)
})

test('a query of very many names is bounded', () => {
  const query = readQuery(`/a?${Array.from({ length: 5000 }, (_, at) => `n${at}=1`).join('&')}`)
  assert.equal(Object.keys(query).length, 1000)
})
