import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ring } from '../../src/http/ring.ts'

test('items stand in their order, and each can leave at any time, once', () => {
  const ring = new Ring<number>()
  const [one, two, three] = [ring.add(1), ring.add(2), ring.add(3)]
  assert.deepEqual([...ring], [1, 2, 3])
  ring.delete(two)
  ring.delete(two)
  assert.deepEqual([[...ring], ring.size, ring.first()?.item], [[1, 3], 2, 1])
  ring.delete(one)
  assert.deepEqual([[...ring], ring.first()?.item], [[3], 3])
  ring.delete(one)
  ring.add(4)
  ring.delete(three)
  assert.deepEqual([[...ring], ring.size], [[4], 1])
})

test('one that is alone leaves an empty ring, which takes others', () => {
  const ring = new Ring<string>()
  const place = ring.add('a')
  ring.delete(place)
  ring.delete(place)
  assert.deepEqual([[...ring], ring.size, ring.first()], [[], 0, undefined])
  ring.add('b')
  assert.deepEqual([...ring], ['b'])
})

test('while all are looked at each may leave', () => {
  const ring = new Ring<number>()
  const places = [1, 2, 3].map((item) => ring.add(item))
  const seen: number[] = []
  for (const item of ring) {
    seen.push(item)
    const place = places[item - 1]
    if (place) ring.delete(place)
  }
  assert.deepEqual([seen, ring.size], [[1, 2, 3], 0])
})

test('a place that was left points to none: what is old and gone holds nothing that is young', () => {
  const ring = new Ring<number>()
  const [one, two, three] = [ring.add(1), ring.add(2), ring.add(3)]
  for (const place of [two, one, three]) {
    ring.delete(place)
    assert.deepEqual([place.before, place.after], [undefined, undefined])
  }
})
