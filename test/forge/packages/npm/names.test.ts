import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  isPackageName,
  isTag,
  tarballName,
  versionOfTarball,
} from '../../../../src/forge/packages/npm/names.ts'

test('package names are lower-case and plain, with or without a scope', () => {
  for (const name of ['a', 'a-b', 'a.b_c~d', '0', '@a/b', '@a-b/c.d', 'x'.repeat(214)])
    assert.ok(isPackageName(name), name)
  for (const name of [
    ...[
      '',
      '.',
      '..',
      '.a',
      '_a',
      '-',
      '-a',
      'A',
      'a b',
      'a/b',
      '@a',
      '@a/',
      '@/a',
      '@a/b/c',
      '@a/../b',
      '@../a',
    ],
    ...['node_modules', 'favicon.ico', '@a/node_modules', 'ä', 'a\0', 'a\n', 'a%2fb', 'x'.repeat(215)],
  ]) {
    assert.ok(!isPackageName(name), name)
  }
})

test('a tarball is called after its package without the scope, and its version', () => {
  assert.equal(tarballName('@a/b', '1.0.0-rc.1'), 'b-1.0.0-rc.1.tgz')
  assert.equal(versionOfTarball('@a/b', 'b-1.0.0-rc.1.tgz'), '1.0.0-rc.1')
  for (const file of ['b-1.0.tgz', 'c-1.0.0.tgz', 'b-1.0.0.zip', 'b-.tgz', 'b-1.0.0', '../b-1.0.0.tgz']) {
    assert.equal(versionOfTarball('@a/b', file), undefined, file)
  }
})

test('tags are plain names that do not look like versions', () => {
  for (const tag of ['latest', 'next', 'v18-lts', 'beta.1', 'x1', 'proto', '__proto'])
    assert.ok(isTag(tag), tag)
  for (const tag of [
    '',
    '1',
    'v1',
    '1.0',
    '1.0.0',
    'v1.0.0-rc.1',
    '=1.0.0',
    '1.x',
    'x',
    '*',
    '1.*',
    'a b',
    'a/b',
    'a%',
    'ä',
    'x'.repeat(101),
    '__proto__',
    'constructor',
    'prototype',
  ])
    assert.ok(!isTag(tag), tag)
})
