import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storedLines } from '../../../src/actions/runner/log-lines.ts'
import { maskOf } from '../../../src/actions/runner/mask.ts'
import { hashOf, newRegistrationToken, newToken } from '../../../src/actions/runner/token.ts'
import { until } from '../../support/wait.ts'

const token = newToken()
const mask = (...values: string[]) => maskOf(values, hashOf(token)).hide

/** One line as it is stored, without its moment. */
async function stored(content: string, ...values: string[]): Promise<string> {
  const text = await storedLines([{ content }], maskOf(values, hashOf(token)), new Date(0))
  return text.slice(29, -1)
}

test('a secret is masked anywhere in a line, whatever characters it has', () => {
  const odd = 'a.b*c(d)[e]{f}|g^h$i\\j+k?'
  assert.equal(mask('key', odd)(`key=${odd}, keykey`), '***=***, ******')
  assert.equal(mask('')('nothing is hidden'), 'nothing is hidden')
  assert.equal(mask()('nothing is hidden'), 'nothing is hidden')
})

test('where two secrets overlap, the longer one is masked as a whole', () => {
  assert.equal(mask('pass', 'password')('password pass'), '*** ***')
})

test('a secret of several lines is masked line by line, except lines that are too common', () => {
  const hide = mask('-----BEGIN KEY-----\r\nabcdefgh\n}\n\n-----END KEY-----')
  assert.equal(hide('-----BEGIN KEY-----'), '***')
  assert.equal(hide('  abcdefgh  '), '  ***  ')
  assert.equal(hide('if (x) { y }'), 'if (x) { y }')
  assert.equal(mask('one line\ntwo line')('in one: one line\\ntwo line'), 'in one: ***')
})

test('the token of the task is masked, and no other word of its form', () => {
  const other = newToken()
  assert.equal(mask()(`${token} ${other} x${token}y`), `*** ${other} x***y`)
})

test('the token is masked after an escape sequence that ends in digits, and when digits are secrets', () => {
  assert.equal(mask()(`%20${token}%0a \\u003d${token}`), '%20***%0a \\u003d***')
  assert.equal(mask()(`${newToken()}${token}`).slice(40), '***')
  assert.equal(mask()(`${token}${token}0`), '******0')
  assert.equal(mask(...'0123456789abcdef')(`key=${token}`), 'k***y=***')
})

test('a secret is masked before a line is truncated', async () => {
  const line = `${'x'.repeat(65_530)}a secret of some length`
  assert.ok((await stored(line, 'a secret of some length')).endsWith('xx***'))
})

test('the time of a line has seven fractional digits, and an invalid time becomes now', async () => {
  const now = new Date('2026-01-31T08:00:00.5Z')
  const line = (time?: { seconds: bigint; nanos: number }) =>
    storedLines([{ content: 'x', ...(time && { time }) }], maskOf([], hashOf(token)), now)
  assert.equal(await line({ seconds: 1n, nanos: 123_456_789 }), '1970-01-01T00:00:01.1234567Z x\n')
  assert.equal(await line({ seconds: 1n, nanos: -5 }), '1970-01-01T00:00:01.0000000Z x\n')
  for (const seconds of [0n, -1n, 1n << 62n]) {
    assert.equal(await line({ seconds, nanos: 0 }), '2026-01-31T08:00:00.5000000Z x\n')
  }
  assert.equal(await line(), '2026-01-31T08:00:00.5000000Z x\n')
})

test('registration tokens are forty letters and digits, each as likely as the other', () => {
  const letters = new Map<string, number>()
  for (let n = 0; n < 500; n++) {
    const made = newRegistrationToken()
    assert.match(made, /^[A-Za-z0-9]{40}$/)
    for (const letter of made) letters.set(letter, (letters.get(letter) ?? 0) + 1)
  }
  // 20,000 letters, 323 of each: six standard deviations are 107.
  assert.equal(letters.size, 62)
  for (const [letter, count] of letters) assert.ok(Math.abs(count - 323) < 110, `${letter}: ${count}`)
})

test('any number of values of the largest size is masked', () => {
  const values = Array.from({ length: 20 }, (_, at) => `${at} `.repeat(21_000).slice(0, 65_536))
  for (const value of values) assert.equal(mask(...values)(`<${value}>`), '<***>')
})

test('a long value is found where its beginning occurs in itself', () => {
  const value = `${'ab'.repeat(50)}c`
  assert.equal(mask(value)(`ab${value}${value}b`), 'ab******b')
  assert.equal(mask(value)(`${'ab'.repeat(60)}c`), `${'ab'.repeat(10)}***`)
  assert.equal(mask(value)('ab'.repeat(200)), 'ab'.repeat(200))
})

test('a line is truncated to 65,536 characters, and no part of a value remains at its end', async () => {
  const value = 'secret '.repeat(9_000)
  const line = await stored(`${'x'.repeat(65_000)}${value}`, value)
  assert.equal(line, `${'x'.repeat(65_000)}***`)
  assert.ok(!(await stored(`${value.repeat(3)}${'x'.repeat(9)}${value}`, value)).includes('secret'))
  assert.equal(await stored('y'.repeat(70_000), value), 'y'.repeat(65_536))
})

test('other work runs while long lines are masked', async () => {
  const values = Array.from({ length: 4 }, (_, at) => `${'a'.repeat(30_000)}${at}${'a'.repeat(30_000)}`)
  const rows = Array.from({ length: 20 }, () => ({ content: 'a'.repeat(1_000_000) }))
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const text = await storedLines(rows, maskOf(values, hashOf(token)), new Date(0))
  clearInterval(timer)
  assert.equal(text.length, 20 * (65_536 + 30))
  assert.ok(turns > 0)
})

test('a mask that is kept retains no memory of others', async () => {
  const hash = hashOf(token)
  globalThis.gc?.()
  const before = process.memoryUsage().arrayBuffers
  const masks = Array.from({ length: 500 }, () => {
    // What else comes and goes at the time: small buffers are parts of common ones.
    Buffer.from('x'.repeat(4000))
    return maskOf([], hash)
  })
  // A thread of its own frees buffers after a collection.
  await until('the buffers of others are freed', () => {
    globalThis.gc?.()
    return process.memoryUsage().arrayBuffers - before < 500_000
  })
  assert.equal(masks.at(-1)?.hide(token), '***')
})
