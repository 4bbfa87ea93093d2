import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseSshKey } from '../../../src/forge/ssh-keys/ssh-key.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { longest } from '../../support/wait.ts'

const folder = await temporaryFolder()

/** Undefined where there is no ssh-keygen; the fixtures of ssh-key.test.ts hold everywhere. */
function keygen(...parameters: string[]): string | undefined {
  try {
    return execFileSync('ssh-keygen', parameters, { encoding: 'utf8', timeout: longest, stdio: 'pipe' })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

for (const [type, bits] of [
  ['ed25519', 256],
  ['ecdsa', 256],
  ['ecdsa', 384],
  ['ecdsa', 521],
  ['rsa', 3072],
] as const) {
  test(`a new ${type} key of ${bits} bits is read as ssh-keygen reads it`, (t) => {
    const file = join(folder, `${type}-${bits}`)
    if (keygen('-q', '-N', '', '-t', type, '-b', `${bits}`, '-C', 'a b', '-f', file) === undefined) {
      t.skip('there is no ssh-keygen')
      return
    }
    const line = readFileSync(`${file}.pub`, 'utf8')
    const parsed = parseSshKey(line)
    assert.ok(parsed.ok)
    assert.equal(`${parsed.value.line}\n`, line)
    const sha256 = `${bits} ${parsed.value.fingerprint} a b (${type.toUpperCase()})\n`
    assert.equal(keygen('-l', '-f', `${file}.pub`), sha256)

    const block = parseSshKey(keygen('-e', '-f', `${file}.pub`) ?? '')
    assert.equal(block.ok && block.value.fingerprint, parsed.value.fingerprint)
    assert.equal(parseSshKey(readFileSync(file, 'utf8')).ok, false)
  })
}
