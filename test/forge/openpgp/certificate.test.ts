import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { armored, armorOfKeys } from '../../../src/forge/openpgp/armor.ts'
import { parseCertificate } from '../../../src/forge/openpgp/certificate.ts'
import { type Packet, packetBytes, packetsIn, tags } from '../../../src/forge/openpgp/packets.ts'
import { parseSignature } from '../../../src/forge/openpgp/signature.ts'
import { GPG_KEY } from '../../support/forge/gpg-key.fixtures.ts'
import { gnupg, withoutGpg } from '../../support/processes/gpg.ts'

const options = { skip: withoutGpg }
const bytes = armored(GPG_KEY, 'PUBLIC KEY BLOCK') ?? Buffer.alloc(0)
const [key, userId, signature] = packetsIn(bytes, 10) ?? []
assert.ok(key && userId && signature)

const textOf = (...packets: readonly Packet[]) => armorOfKeys(Buffer.concat(packets.map(packetBytes)))
const faultOf = (text: string) => {
  const parsed = parseCertificate(text)
  return parsed.ok ? '' : parsed.fault
}
const many = (count: number, ...packets: readonly Packet[]) =>
  Array.from({ length: count }, () => packets).flat()

test('a key is read from any armor of it, and written so that it is the same', () => {
  const parsed = parseCertificate(GPG_KEY)
  assert.ok(parsed.ok)
  const { primary, emails } = parsed.value
  assert.deepEqual(
    [primary.key.keyId, primary.signs, emails],
    ['B98998CE5183E468', true, ['ada@example.com']],
  )
  const again = parseCertificate(armorOfKeys(parsed.value.bytes))
  assert.deepEqual(again, parsed)
  for (const text of [
    GPG_KEY.replaceAll('\n', '\r\n'),
    `\n\n${GPG_KEY}  `,
    GPG_KEY.replace('\n\n', '\nVersion: x\nComment: y\n\n'),
    GPG_KEY.replace(/=....\n/, ''),
  ])
    assert.deepEqual(parseCertificate(text), parsed)
})

suite('a text is refused that is', () => {
  const cases: Readonly<Record<string, readonly [text: string, fault: RegExp]>> = {
    empty: ['', /not one armored/],
    'no key': ['-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n-----END PGP PUBLIC KEY BLOCK-----', /not one/],
    'too long': ['x'.repeat(300_000), /longer/],
    'a secret key': [GPG_KEY.replaceAll('PUBLIC', 'PRIVATE'), /secret/],
    'a secret key in the armor of a public one': [textOf({ ...key, tag: tags.secretKey }, userId), /secret/],
    'a key with a secret subkey': [
      textOf(key, { ...key, tag: tags.secretSubkey }, userId, signature),
      /secret/,
    ],
    'two keys': [textOf(key, userId, signature, key), /exactly one/],
    'a key that nobody has signed': [textOf(key), /has not signed itself/],
    'a key with the user id of another': [
      textOf(key, { ...userId, body: Buffer.from('Eve <eve@example.com>') }, signature),
      /has not signed itself/,
    ],
    'a key with very many user ids': [textOf(key, ...many(60, userId, signature)), /more than 50/],
    'a key with very many signatures': [textOf(key, userId, ...many(300, signature)), /200 signatures/],
    'very many packets': [textOf(key, ...many(3000, { tag: 60, body: Buffer.alloc(0) })), /not one/],
    'a key of another version': [
      textOf({ ...key, body: Buffer.concat([Buffer.of(6), key.body.subarray(1)]) }),
      /version 4/,
    ],
  }
  for (const [name, [text, fault]] of Object.entries(cases))
    test(name, () => {
      assert.match(faultOf(text), fault)
    })
})

test('a key with any byte changed, or cut off anywhere, has no address more', () => {
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 0x55
    for (const wrong of [changed, bytes.subarray(0, at)]) {
      const parsed = parseCertificate(armorOfKeys(wrong))
      // Of what is not signed, such as the issuer, any value may do.
      if (parsed.ok) assert.deepEqual(parsed.value.emails, ['ada@example.com'])
      parseSignature(armorOfKeys(wrong).replaceAll('PUBLIC KEY BLOCK', 'SIGNATURE'))
    }
  }
})

test(
  'a revoked key, a key that is signed with SHA-1, and DSA are refused; revoked user ids are left out',
  options,
  () => {
    const gpg = gnupg()
    gpg.make('dsa@example.com', 'dsa2048')
    assert.match(faultOf(gpg.exported('dsa@example.com')), /algorithm/)
    const revoked = gpg.make('Ada <revoked@example.com>')
    gpg.run('--quick-add-uid', revoked, 'second@example.com')
    gpg.run('--quick-revoke-uid', revoked, 'Ada <revoked@example.com>')
    const parsed = parseCertificate(gpg.exported(revoked))
    assert.deepEqual(parsed.ok && parsed.value.emails, ['second@example.com'])
    gpg.revoke(revoked)
    assert.match(faultOf(gpg.exported(revoked)), /revoked/)
    const old = gpg.make('old@example.com', 'rsa2048', 'sign', 'never', '--cert-digest-algo', 'SHA1')
    assert.match(faultOf(gpg.exported(old)), /SHA-2/)
  },
)
