import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Shares } from '../../src/limiter/shares.ts'

test('a client has at most its share, and gives each part back once', () => {
  const shares = new Shares(2)
  const first = shares.enter('a')
  assert.ok(first && shares.enter('a') && shares.enter('b'))
  assert.equal(shares.enter('a'), undefined)
  first()
  first()
  assert.ok(shares.enter('a'))
  assert.equal(shares.enter('a'), undefined)
})

test('a share of nothing refuses everybody', () => assert.equal(new Shares(0).enter('a'), undefined))
