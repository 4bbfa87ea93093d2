import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { parseSshKey } from '../../../src/forge/ssh-keys/ssh-key.ts'
import { mpint, wireStrings } from '../../../src/forge/ssh-keys/ssh-wire.ts'
import {
  ACCEPTED,
  CERTIFICATE_LINE,
  DSA_LINE,
  DSA_PEM,
  RSA_2048,
} from '../../support/forge/ssh-key.fixtures.ts'

const COMMENT = 'alice@example.com'

function faultOf(text: string): string {
  const parsed = parseSshKey(text)
  assert.equal(parsed.ok, false)
  return parsed.fault
}

function lineOf(text: string): string {
  const parsed = parseSshKey(text)
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.fault)
  return parsed.value.line
}

function fixture(type: string): { type: string; base64: string; blob: Buffer; line: string } {
  const line = ACCEPTED.find((each) => each.type === type)?.line ?? ''
  const base64 = line.split(' ')[1] ?? ''
  return { type, base64, blob: Buffer.from(base64, 'base64'), line }
}

const ed25519 = fixture('ssh-ed25519')
const asLine = (type: string, blob: Buffer) => `${type} ${blob.toString('base64')}`

for (const key of ACCEPTED) {
  const bare = key.line.slice(0, -COMMENT.length - 1)
  const base64 = bare.split(' ')[1] ?? ''

  test(`${key.type}: every fact is what ssh-keygen says`, () => {
    assert.deepEqual(parseSshKey(key.line), {
      ok: true,
      value: {
        type: key.type,
        bits: key.bits,
        comment: COMMENT,
        line: key.line,
        fingerprint: key.sha256,
      },
    })
  })

  test(`${key.type}: line ends and blanks around and between do not matter`, () => {
    for (const text of [
      `${key.line}\n`,
      `${key.line}\r\n`,
      `\n \t${key.line.replaceAll(' ', ' \t ')} \r\r`,
    ]) {
      assert.equal(lineOf(text), key.line)
    }
  })

  test(`${key.type}: base64 broken into lines is joined`, () => {
    for (const end of ['\n', '\r\n', '\r', '\n\n']) {
      assert.equal(lineOf(key.line.replace(base64, base64.replace(/.{20}/g, `$&${end}`))), key.line)
    }
  })

  test(`${key.type}: the base64 alone is enough`, () => {
    assert.equal(lineOf(base64), bare)
  })

  test(`${key.type}: base64 and comment without a type are enough`, () => {
    assert.equal(lineOf(`${base64} ${COMMENT}`), key.line)
  })

  test(`${key.type}: a comment may have several words`, () => {
    assert.equal(lineOf(`${bare} Zoë's new  laptop ✓`), `${bare} Zoë's new laptop ✓`)
  })

  test(`${key.type}: an RFC 4716 block keeps its comment`, () => {
    assert.equal(lineOf(key.ssh2), key.line)
    assert.equal(lineOf(`${key.ssh2.replaceAll('\n', '\r\n')}\r\n`), key.line)
    assert.equal(lineOf(key.ssh2.replaceAll('\n', '\r')), key.line)
  })

  test(`${key.type}: an RFC 4716 block may have other and continued headers, or none`, () => {
    const more = 'Subject: alice\nX-note: one \\\ntwo\nComment: alice@\\\nexample.com'
    assert.equal(lineOf(key.ssh2.replace(/Comment: .*/, more)), key.line)
    assert.equal(lineOf(key.ssh2.replace(/Comment: .*\n/, '')), bare)
  })

  for (const [index, pem] of key.pem.entries()) {
    test(`${key.type}: PEM block ${index + 1} is the same key`, () => {
      assert.equal(lineOf(pem), bare)
      assert.equal(lineOf(`\r\n${pem.replaceAll('\n', '\r\n')}\r\n`), bare)
      assert.equal(lineOf(pem.replaceAll('\n', '\r')), bare)
    })
  }

  test(`${key.type}: no cut of the blob is a key`, () => {
    const blob = Buffer.from(base64, 'base64')
    for (let length = 0; length < blob.length; length += 1) {
      assert.match(faultOf(asLine(key.type, blob.subarray(0, length))), /^Invalid key content: /)
    }
  })

  test(`${key.type}: a byte more is no key`, () => {
    const blob = Buffer.from(base64, 'base64')
    assert.equal(
      faultOf(asLine(key.type, Buffer.concat([blob, Buffer.of(0)]))),
      'Invalid key content: there are bytes after the key',
    )
  })

  test(`${key.type}: a line that says another type is refused`, () => {
    const other = key.type === 'ssh-rsa' ? 'ssh-ed25519' : 'ssh-rsa'
    assert.equal(
      faultOf(`${other} ${base64}`),
      `Invalid key content: the line says ${other}, but the key is of type ${key.type}`,
    )
  })
}

test('the SSH2 block of every accepted kind was tried, and PEM of five', () => {
  assert.deepEqual([ACCEPTED.length, ACCEPTED.filter((each) => each.pem.length > 0).length], [7, 5])
})

for (const text of [RSA_2048.line, RSA_2048.ssh2, ...RSA_2048.pem]) {
  test(`a small RSA key is refused with its size: ${text.slice(0, 30)}`, () => {
    assert.equal(faultOf(text), 'Invalid key content: key length is not enough: got 2048, needs 3071')
  })
}

const e = Buffer.of(1, 0, 1)
const odd = (bits: number) => {
  const number = Buffer.alloc(Math.ceil(bits / 8), 0xff)
  number[0] = 0xff >> (number.length * 8 - bits)
  return number
}
const rsa = (exponent: Buffer, modulus: Buffer) =>
  asLine('ssh-rsa', wireStrings('ssh-rsa', mpint(exponent), mpint(modulus)))

test('the least RSA key has 3071 bits', () => {
  assert.equal(parseSshKey(rsa(e, odd(3071))).ok, true)
  assert.match(faultOf(rsa(e, odd(3070))), /got 3070, needs 3071$/)
})

test('the greatest RSA key has 16384 bits', () => {
  assert.equal(parseSshKey(rsa(e, odd(16384))).ok, true)
  assert.match(faultOf(rsa(e, odd(16392))), /got 16392, at most 16384$/)
})

for (const [what, text] of [
  ['an even modulus', rsa(e, Buffer.concat([odd(3072), Buffer.of(0)]))],
  ['an even exponent', rsa(Buffer.of(2), odd(3072))],
  ['the exponent one', rsa(Buffer.of(1), odd(3072))],
  ['the exponent zero', rsa(Buffer.of(0), odd(3072))],
  ['a negative modulus', asLine('ssh-rsa', wireStrings('ssh-rsa', e, odd(3072)))],
] as const) {
  test(`an RSA key with ${what} is refused`, () => {
    assert.match(faultOf(text), /^Invalid key content: the RSA numbers /)
  })
}

const p256 = fixture('ecdsa-sha2-nistp256')
const point = p256.blob.subarray(-65)
const ecdsa = (type: string, curve: string, at: Buffer) => asLine(type, wireStrings(type, curve, at))

for (const [what, at] of [
  ['off the curve', Buffer.concat([point.subarray(0, 64), Buffer.of((point[64] ?? 0) ^ 1)])],
  ['in compressed form', Buffer.concat([Buffer.of(2), point.subarray(1, 33)])],
  ['at infinity', Buffer.of(0)],
  ['at zero', Buffer.concat([Buffer.of(4), Buffer.alloc(64)])],
  ['beyond the field', Buffer.concat([Buffer.of(4), Buffer.alloc(64, 0xff)])],
  ['of another curve', fixture('ecdsa-sha2-nistp384').blob.subarray(-97)],
] as const) {
  test(`a point ${what} is refused`, () => {
    const text = ecdsa('ecdsa-sha2-nistp256', 'nistp256', at)
    assert.equal(faultOf(text), 'Invalid key content: the point is not on nistp256')
  })
}

test('a curve that is not that of the type is refused', () => {
  const text = ecdsa('ecdsa-sha2-nistp256', 'nistp384', point)
  assert.equal(faultOf(text), 'Invalid key content: the curve is not nistp256')
})

for (const length of [0, 31, 33]) {
  test(`an Ed25519 key of ${length} bytes is refused`, () => {
    const text = asLine('ssh-ed25519', wireStrings('ssh-ed25519', Buffer.alloc(length, 1)))
    assert.equal(faultOf(text), 'Invalid key content: an Ed25519 key has 32 bytes')
  })
}

for (const application of ['', 'ssh:\n', 'a b', 'x'.repeat(256)]) {
  test(`a security key for ${JSON.stringify(application.slice(0, 8))} is refused`, () => {
    const type = 'sk-ssh-ed25519@openssh.com'
    const text = asLine(type, wireStrings(type, ed25519.blob.subarray(-32), application))
    assert.equal(faultOf(text), 'Invalid key content: the security key names no application')
  })
}

test('DSA is not allowed, in any format', () => {
  for (const text of [DSA_LINE, DSA_LINE.split(' ')[1] ?? '', DSA_PEM]) {
    assert.equal(faultOf(text), 'Invalid key content: key type is not allowed: dsa')
  }
})

test('certificates are refused', () => {
  for (const text of [CERTIFICATE_LINE, CERTIFICATE_LINE.split(' ')[1] ?? '']) {
    assert.equal(faultOf(text), 'Invalid key content: certificates are not accepted')
  }
})

for (const type of ['ssh-ed448', 'ssh-xmss@openssh.com', 'x509v3-sign-rsa', 'rsa-sha2-512', 'toString']) {
  test(`nobody can verify a key of type ${type}`, () => {
    assert.equal(
      faultOf(wireStrings(type, Buffer.alloc(57, 1)).toString('base64')),
      'Unable to verify key content',
    )
  })
}

for (const [what, key] of [
  ['X25519', generateKeyPairSync('x25519').publicKey],
  ['Ed448', generateKeyPairSync('ed448').publicKey],
  ['secp256k1', generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey],
  ['RSA-PSS', generateKeyPairSync('rsa-pss', { modulusLength: 512 }).publicKey],
] as const) {
  test(`nobody can verify a PEM key of type ${what}`, () => {
    const pem = key.export({ format: 'pem', type: 'spki' }).toString()
    assert.equal(faultOf(pem), 'Unable to verify key content')
  })
}

test('a PEM key on a curve that Node cannot export is refused', () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'brainpoolP256r1' })
  assert.match(
    faultOf(publicKey.export({ format: 'pem', type: 'spki' }).toString()),
    /^Invalid key content: /,
  )
})

const { privateKey } = generateKeyPairSync('ed25519')
const pkcs8 = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
for (const text of [
  pkcs8,
  `some words\n${pkcs8}`,
  '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n-----END OPENSSH PRIVATE KEY-----',
  '-----BEGIN ENCRYPTED PRIVATE KEY-----\n',
  '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nP2/56wAAA\n',
  'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n',
  `-----BEGIN RSA PRIVATE KEY-----\n${'A'.repeat(20000)}`,
]) {
  test(`a private key is refused without being repeated: ${text.slice(0, 30).trim()}`, () => {
    assert.equal(
      faultOf(text),
      'Invalid key content: this is a private key; keep it, and give the public one',
    )
  })
}

test('a comment about a private key is only a comment', () => {
  assert.equal(parseSshKey(`${ed25519.type} ${ed25519.base64} to my PRIVATE KEY`).ok, true)
})

for (const [what, options] of [
  ['a flag', 'no-pty'],
  ['a list', 'restrict,port-forwarding'],
  ['a command', 'command="echo hello",no-pty'],
  ['an address', 'from="10.0.0.0/8"'],
] as const) {
  test(`options in front (${what}) are refused`, () => {
    assert.equal(
      faultOf(`${options} ${ed25519.line}`),
      'Invalid key content: options in front of the key are not accepted',
    )
  })
}

for (const [what, text] of [
  ['two lines', `${ed25519.line}\n${ed25519.line}`],
  ['two lines with carriage returns', `${ed25519.line}\r\r${p256.line}`],
  ['a second line with options', `${ed25519.line}\nno-pty ${p256.line}`],
  ['two SSH2 blocks', `${ACCEPTED[0]?.ssh2}\n${ACCEPTED[1]?.ssh2}`],
] as const) {
  test(`${what} are more than one key`, () => {
    assert.equal(faultOf(text), 'Invalid key content: there is more than one key')
  })
}

const pem = ACCEPTED.find((each) => each.type === 'ssh-rsa')?.pem[0] ?? ''
for (const [what, text, reason] of [
  ['nothing', '', /empty/],
  ['blanks', ' \r\n\t', /empty/],
  ['words', 'hello world', /not a public key/],
  ['a type alone', 'ssh-ed25519', /not a public key/],
  ['a NUL', '\0', /not a public key/],
  ['a type and no base64', 'ssh-ed25519 ?', /damaged/],
  ['base64 without its padding', p256.line.replace('= ', ' '), /damaged/],
  ['base64 of the URL alphabet', `${ed25519.base64.slice(0, -2)}-_`, /damaged/],
  [
    'base64 with bits left over',
    `ssh-rsa ${Buffer.from('ab').toString('base64').replace('=', '')}`,
    /damaged/,
  ],
  ['base64 of something else', 'ssh-ed25519 aGVsbG8=', /not a public key/],
  ['a cut SSH2 block', '---- BEGIN SSH2 PUBLIC KEY ----\nAAAA', /not complete/],
  [
    'another block with four dashes',
    '---- BEGIN SSH2 KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----',
    /not complete/,
  ],
  [
    'an empty SSH2 block',
    '---- BEGIN SSH2 PUBLIC KEY ----\n---- END SSH2 PUBLIC KEY ----',
    /not a public key/,
  ],
  ['a cut PEM block', pem.slice(0, -30), /not one public key/],
  ['two PEM blocks', `${pem}\n${pem}`, /not one public key/],
  ['a certificate in PEM', pem.replaceAll('PUBLIC KEY', 'CERTIFICATE'), /not one public key/],
  ['a damaged PEM block', pem.replace('\n', '\nAAAA'), /cannot be decoded/],
  ['a PEM block with two labels', pem.replace('END PUBLIC', 'END RSA PUBLIC'), /cannot be decoded/],
  ['a control character in the comment', `${ed25519.line}\u001b[31m`, /not plain text/],
  ['a NUL in the comment', `${ed25519.line}\0`, /not plain text/],
  ['half a surrogate pair in the comment', `${ed25519.line}\ud800`, /not plain text/],
  ['base64 beyond 5461 characters', `ssh-rsa ${'A'.repeat(5464)}`, /longer than 5461/],
  ['a text beyond 9500 characters', `${ed25519.line} ${'x'.repeat(9500)}`, /longer than 9500/],
] as const) {
  test(`${what}: refused`, () => {
    const fault = faultOf(text)
    assert.match(fault, /^Invalid key content: /)
    assert.match(fault, reason)
  })
}

test('a line break in the comment cannot begin another line', () => {
  assert.equal(lineOf(`${ed25519.line}\nmore`), `${ed25519.line}more`)
})

test('a million blanks, dashes or backslashes are answered', () => {
  for (const sign of [' ', '-', '\\\n', '-----BEGIN ', 'AAAA', '\r ']) {
    assert.equal(parseSshKey(`x${sign.repeat(1_000_000 / sign.length)}x`).ok, false)
  }
})
