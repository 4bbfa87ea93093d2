import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareVersions, isVersion } from '../../../../src/forge/packages/npm/semver.ts'

test('a version has three numbers, and optionally a prerelease and build metadata', () => {
  for (const text of [
    '0.0.0',
    '1.2.3',
    '10.20.30',
    '1.0.0-rc.1',
    '1.0.0-x-y.0a',
    '1.0.0+001',
    '1.0.0-a+b.c',
  ]) {
    assert.ok(isVersion(text), text)
  }
  const wrong = [
    '',
    '1',
    '1.2',
    '1.2.3.4',
    'v1.2.3',
    '01.2.3',
    '1.2.3-',
    '1.2.3-01',
    '1.2.3+',
    ' 1.2.3',
    '1.2.3\n',
  ]
  for (const text of [...wrong, '1.2.x', '../1', `1.0.0-${'a'.repeat(251)}`])
    assert.ok(!isVersion(text), text)
})

test('versions are in the order of the specification', () => {
  const inOrder = [
    'nothing',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
    '1.2.0',
    '1.10.0',
    '2.0.0-0',
    '2.0.0',
    '9007199254740993.0.0',
    '9007199254740994.0.0',
  ]
  for (const [at, one] of inOrder.entries()) {
    for (const [place, other] of inOrder.entries()) {
      assert.equal(Math.sign(compareVersions(one, other)), Math.sign(at - place), `${one} ${other}`)
    }
  }
  assert.equal(compareVersions('1.0.0+a', '1.0.0+b'), 0)
})
