import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rule } from '../../../src/forge/protocol/rules.ts'
import {
  alphaDashDot,
  brokenRule,
  gitRefName,
  maxSize,
  oneOf,
  required,
  url,
} from '../../../src/forge/protocol/rules.ts'

function holds(rule: Rule, texts: readonly string[]): void {
  for (const text of texts) {
    test(`${rule.word} holds for ${JSON.stringify(text.slice(0, 50))}`, () =>
      assert.equal(rule.holds(text), true))
  }
}

function breaks(rule: Rule, texts: readonly string[]): void {
  for (const text of texts) {
    test(`${JSON.stringify(text.slice(0, 50))} breaks ${rule.word}`, () =>
      assert.equal(rule.holds(text), false))
  }
}

test('brokenRule() returns the property and the first broken rule', () => {
  assert.equal(brokenRule('UserName', '', [required, oneOf(['a'])]), '[UserName]: Required')
  assert.equal(brokenRule('Name', 'a b', [required, alphaDashDot, maxSize(2)]), '[Name]: AlphaDashDot')
})

test('brokenRule() is undefined when all rules hold', () => {
  assert.equal(brokenRule('Name', 'ab', [required, alphaDashDot, maxSize(2)]), undefined)
  assert.equal(brokenRule('Name', '', []), undefined)
})

holds(required, ['a', ' ', '0'])
breaks(required, [''])

holds(maxSize(3), ['', 'abc', 'äöü', '🔑🔑🔑', '\ud800\ud800\ud800'])
breaks(maxSize(3), ['abcd', '🔑🔑🔑🔑', 'e\u0301e\u0301', 'x'.repeat(1_000_000)])

holds(oneOf(['', 'asc', 'desc']), ['', 'asc', 'desc'])
breaks(oneOf(['asc', 'desc']), ['', 'ASC', 'asc ', 'constructor'])

holds(alphaDashDot, ['', 'aZ0_-.', '..', '-'])
breaks(alphaDashDot, ['a b', 'ä', 'a\n', 'a/b', 'a\0', '../b'])

holds(url, [
  '',
  'http://example.com',
  'https://example.com/',
  'HTTPS://EXAMPLE.COM/Path?query#fragment',
  'https://example.com:8443/a b',
  'http://localhost:3000',
  'http://127.0.0.1',
  'http://[::1]:80/',
  'https://bücher.example/ä',
  'https://user:password@example.com',
])
breaks(url, [
  'example.com',
  '/path',
  '//example.com',
  'http:example.com',
  'http:/example.com',
  'http://',
  'http:///path',
  'http://?query',
  'http:\\\\example.com',
  'http://\\example.com',
  'http://example.com:port',
  'http://example.com:99999',
  'http://exa mple.com',
  'http://example.com\r\nx: y',
  'http://exam\tple.com',
  'http://example.com/\0',
  ' http://example.com',
  'http://example.com ',
  'ftp://example.com',
  'javascript:alert(1)',
  'data:text/html,x',
  'mailto:alice@example.com',
  'ssh://git@example.com',
  'http://[::1',
  'http://a%00b.com',
  'x'.repeat(100_000),
])

holds(gitRefName, ['', 'main', 'feature/one', 'v1.0', 'a-b_c', 'ünïcode', 'a@b', 'a.lock.b', '{', 'a}'])
breaks(gitRefName, [
  '@',
  'HEAD',
  '-main',
  '/main',
  'main/',
  'main.',
  'a..b',
  'a//b',
  '.hidden',
  'a/.hidden',
  'a.lock',
  'a.lock/b',
  'a@{b',
  'a b',
  'a~b',
  'a^b',
  'a:b',
  'a?b',
  'a*b',
  'a[b',
  'a\\b',
  'a\tb',
  'a\nb',
  'a\0b',
  'a\u007fb',
  '..',
])
