import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as v from 'valibot'
import { offsetOf } from '../../../src/db/page.ts'
import { linkOf, pageQuery } from '../../../src/http/route/page.ts'

const root = 'https://forgehall.example/'
const schema = v.object(pageQuery())

test('page and limit have defaults and a maximum, and read positive integers only', () => {
  for (const [given, expected] of [
    [{}, { page: 1, limit: 30 }],
    [
      { page: '3', limit: '10' },
      { page: 3, limit: 10 },
    ],
    [
      { page: '+2', limit: '50' },
      { page: 2, limit: 50 },
    ],
    [
      { page: '0', limit: '51' },
      { page: 1, limit: 50 },
    ],
    [
      { page: '-1', limit: '0' },
      { page: 1, limit: 30 },
    ],
    [
      { page: 'x', limit: '' },
      { page: 1, limit: 30 },
    ],
    [
      { page: '1.5', limit: '1e1' },
      { page: 1, limit: 30 },
    ],
    [
      { page: ['4', '5'], limit: ['7', 'x'] },
      { page: 4, limit: 7 },
    ],
    [
      { page: '9'.repeat(400), limit: '9'.repeat(400) },
      { page: Number.MAX_SAFE_INTEGER, limit: 50 },
    ],
  ]) {
    assert.deepEqual(v.parse(schema, given), expected, JSON.stringify(given))
  }
})

test('the offset of any page is an exact integer that the database can take', () => {
  assert.equal(offsetOf({ page: 1, limit: 30 }), 0)
  assert.equal(offsetOf({ page: 3, limit: 10 }), 20)
  assert.ok(Number.isSafeInteger(offsetOf({ page: Number.MAX_SAFE_INTEGER, limit: 50 })))
})

const link = (url: string, page: number, limit: number, total: number) =>
  linkOf(root, url, { page, limit, total, rows: [] })

test('Link is absent when all is on one page', () => {
  assert.equal(link('/a', 1, 10, 0), undefined)
  assert.equal(link('/a', 1, 10, 10), undefined)
})

test('Link of the first, a middle and the last page', () => {
  const to = (page: number, rel: string) =>
    `<https://forgehall.example/a?limit=10&page=${page}>; rel="${rel}"`
  assert.equal(link('/a?limit=10', 1, 10, 25), [to(2, 'next'), to(3, 'last')].join(','))
  assert.equal(
    link('/a?limit=10&page=2', 2, 10, 25),
    [to(3, 'next'), to(3, 'last'), to(1, 'first'), to(1, 'prev')].join(','),
  )
  assert.equal(link('/a?page=3&limit=10', 3, 10, 25), [to(1, 'first'), to(2, 'prev')].join(','))
})

test('Link of a page beyond the end counts it as the last', () => {
  assert.equal(
    link('/a?page=99', 99, 10, 25),
    '<https://forgehall.example/a?page=1>; rel="first",<https://forgehall.example/a?page=2>; rel="prev"',
  )
})

test('Link has the parameters of the request, and escapes them', () => {
  const value = link('/a?q=%3E%3B%20rel%3D%22x%22%2C%0D%0Aé&page=1&q=2', 1, 1, 2)
  assert.match(
    value ?? '',
    /^<https:\/\/forgehall\.example\/a\?page=2&q=[\w%.+&=-]+>; rel="next",<[^<>"\s]+>; rel="last"$/,
  )
  assert.match(value ?? '', /&q=2>/)
})

test('Link keeps a query that has a mark in it, and a path cannot break out of it either', () => {
  assert.equal(
    link('//a>;rel="x"?q=1?2&page=1', 1, 1, 2),
    '<https://forgehall.example/a%3E;rel=%22x%22?page=2&q=1%3F2>; rel="next",<https://forgehall.example/a%3E;rel=%22x%22?page=2&q=1%3F2>; rel="last"',
  )
})
