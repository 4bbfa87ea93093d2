import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Scopes } from '../../../src/forge/auth/scopes.ts'
import {
  CATEGORIES,
  formatScopes,
  isEmpty,
  levelOf,
  parseScopes,
  passOn,
  permits,
  scopeNames,
  scopeRefusal,
} from '../../../src/forge/auth/scopes.ts'

function scopes(...names: string[]): Scopes {
  const parsed = parseScopes(names)
  assert.ok(parsed.ok)
  return parsed.value
}

const everyWrite = CATEGORIES.map((category) => `write:${category}`)
const everyRead = CATEGORIES.map((category) => `read:${category}`)

for (const [names, normal] of [
  [[], ''],
  [[''], ''],
  [['read:user'], 'read:user'],
  [['read:user', 'read:user'], 'read:user'],
  [['read:user', 'write:user'], 'write:user'],
  [['write:user', 'read:user'], 'write:user'],
  [['user', 'repository'].map((each) => `read:${each}`), 'read:repository,read:user'],
  [['write:user,read:issue', '', ',public-only,'], 'public-only,read:issue,write:user'],
  [[...everyWrite].reverse(), 'all'],
  [everyWrite.slice(1), everyWrite.slice(1).join(',')],
  [[...everyRead].reverse(), everyRead.join(',')],
  [['all'], 'all'],
  [['all', 'read:user'], 'all'],
  [['all', 'public-only'], 'public-only,all'],
  [['public-only'], 'public-only'],
] as const) {
  test(`the normal form of [${names}] is "${normal}"`, () => {
    assert.equal(formatScopes(scopes(...names)), normal)
  })
}

test('the normal form has the documented order', () => {
  const order = 'activitypub admin misc notification organization package issue repository user'
  assert.equal(CATEGORIES.join(' '), order)
})

test('the normal form reads back as itself', () => {
  for (const names of [everyRead, everyWrite, ['all', 'public-only'], ['write:issue', 'read:misc']]) {
    const once = scopes(...names)
    assert.deepEqual(scopes(formatScopes(once)), once)
    assert.deepEqual(scopes(...scopeNames(once)), once)
  }
})

for (const name of [
  'sudo',
  'All',
  'READ:user',
  'read:users',
  'read',
  'read:',
  'delete:user',
  ' read:user',
  'constructor',
  '\0',
]) {
  test(`parseScopes() refuses ${JSON.stringify(name)} by name`, () => {
    assert.deepEqual(parseScopes(['read:user', name]), {
      ok: false,
      fault: `invalid access token scope provided: ${name}`,
    })
  })
}

test('no scopes are empty', () => {
  assert.equal(isEmpty(scopes()), true)
})

test('public-only alone is not empty', () => {
  assert.equal(isEmpty(scopes('public-only')), false)
})

test('one read is not empty', () => {
  assert.equal(isEmpty(scopes('read:activitypub')), false)
})

for (const [method, level] of [
  ['GET', 'read'],
  ['HEAD', 'read'],
  ['OPTIONS', 'read'],
  ['POST', 'write'],
  ['PUT', 'write'],
  ['PATCH', 'write'],
  ['DELETE', 'write'],
] as const) {
  test(`${method} needs ${level}`, () => {
    assert.equal(levelOf(method), level)
  })
}

for (const category of CATEGORIES) {
  const others = CATEGORIES.filter((each) => each !== category).map((each) => `write:${each}`)

  test(`write:${category} reads and writes ${category}`, () => {
    const granted = scopes(`write:${category}`)
    assert.deepEqual(
      [permits(granted, [category], 'read'), permits(granted, [category], 'write')],
      [true, true],
    )
  })

  test(`read:${category} only reads ${category}`, () => {
    const granted = scopes(`read:${category}`)
    assert.deepEqual(
      [permits(granted, [category], 'read'), permits(granted, [category], 'write')],
      [true, false],
    )
  })

  test(`all other scopes together do not reach ${category}`, () => {
    const granted = scopes(...others)
    assert.deepEqual(
      [permits(granted, [category], 'read'), permits(granted, [category], 'write')],
      [false, false],
    )
  })

  test(`all reaches ${category}`, () => {
    assert.equal(permits(scopes('all'), [category], 'write'), true)
  })
}

test('several categories are all required', () => {
  const both = ['organization', 'repository'] as const
  assert.equal(permits(scopes('write:organization'), both, 'write'), false)
  assert.equal(permits(scopes('write:organization', 'read:repository'), both, 'write'), false)
  assert.equal(permits(scopes('write:organization', 'write:repository'), both, 'write'), true)
})

test('a route without categories needs no scope', () => {
  assert.equal(permits(scopes('public-only'), [], 'write'), true)
})

test('the refusal names what is needed and what there is', () => {
  assert.equal(
    scopeRefusal(scopes('read:user'), ['organization', 'repository'], 'write'),
    'token does not have at least one of required scope(s), required=[write:organization write:repository], token scope=read:user',
  )
})

test('the refusal prints the stored form', () => {
  const granted = scopes('write:user', 'read:issue', 'public-only')
  assert.match(
    scopeRefusal(granted, ['admin'], 'read'),
    /required=\[read:admin\], token scope=public-only,read:issue,write:user$/,
  )
})

for (const [creator, requested, result] of [
  ['write:user', 'write:user', 'write:user'],
  ['write:user', 'read:user', 'read:user'],
  ['all', 'all', 'all'],
  ['all', 'write:admin,public-only', 'public-only,write:admin'],
  ['public-only,all', 'read:user', 'public-only,read:user'],
  ['public-only,all', 'all,public-only', 'public-only,all'],
] as const) {
  test(`a token of ${creator} passes ${requested} on as ${result}`, () => {
    assert.deepEqual(passOn(scopes(creator), scopes(requested)), { ok: true, value: scopes(result) })
  })
}

for (const [creator, requested] of [
  ['read:user', 'write:user'],
  ['write:user', 'write:user,read:issue'],
  [everyWrite.slice(1).join(','), 'all'],
  ['public-only', 'read:user'],
] as const) {
  test(`a token of ${creator} cannot pass ${requested} on`, () => {
    assert.deepEqual(passOn(scopes(creator), scopes(requested)), {
      ok: false,
      fault: 'cannot create an access token with a broader scope than the authenticating token',
    })
  })
}
