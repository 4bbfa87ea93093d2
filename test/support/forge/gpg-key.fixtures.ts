import { createHash, createPrivateKey, sign } from 'node:crypto'
import { packetBytes, tags } from '../../../src/forge/openpgp/packets.ts'

/** OpenPGP keys with the user id `Ada <ada@example.com>`, as `gpg --armor --export` prints them. */

export const GPG_KEY = `-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEawsYlxYJKwYBBAHaRw8BAQdAqr0qYBRuHb5UCLHsd9OtySW8knbM1r4DX+gi
wKM1hme0FUFkYSA8YWRhQGV4YW1wbGUuY29tPoiQBBMWCAA4FiEEzBOBBLDVav9e
HZSCuYmYzlGD5GgFAmsLGJcCGwMFCwkIBwIGFQoJCAsCBBYCAwECHgECF4AACgkQ
uYmYzlGD5GiC2QEA/oxYruMSKRyBm1AWzBFDtLYBjBscmL5OQeD6uZyjWnEBAOei
SeamTrCeCiIW7+1M7XcyNm3MixXrA6esE/QNRBQJ
=1iV8
-----END PGP PUBLIC KEY BLOCK-----
`
export const GPG_KEY_ID = 'B98998CE5183E468'

export const OTHER_GPG_KEY = `-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEawsbmxYJKwYBBAHaRw8BAQdAuh3ZWmhwkxv7r6Dm3Z3r3CXHCHJ+PkEbkm1U
VThG5oe0FUFkYSA8YWRhQGV4YW1wbGUuY29tPoiQBBMWCAA4FiEEiGdKJRWHA0P0
ra2K+vnjgodzCsAFAmsLG5sCGwMFCwkIBwIGFQoJCAsCBBYCAwECHgECF4AACgkQ
+vnjgodzCsDYGgD/fuqQThL2kIWatw7oig+fxR5Jr8768UhxKlq88VhUPfwBAM2f
KHQ4/D9uixRBEEDwYO+p1UNi7WjCKqHLT/pcmoYI
=1Ah0
-----END PGP PUBLIC KEY BLOCK-----
`

const secret = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: 'qr0qYBRuHb5UCLHsd9OtySW8knbM1r4DX-giwKM1hmc',
  d: 'kgMinceW3Qj0lLacWDQ5p9paKaI1LMynyBNeRnc3fPU',
}

/** The signature of a text by the first key, as `gpg --armor --detach-sign` makes it. */
export function signedByGpgKey(text: string): string {
  // Version 4, of a binary text, EdDSA, SHA-256; subpackets with the time of the key and its id.
  const hashed = Buffer.from(`04001608001005026b0b18970910${GPG_KEY_ID}`, 'hex')
  const end = Buffer.from([4, 0xff, 0, 0, 0, hashed.length])
  const digest = createHash('sha256')
    .update(Buffer.concat([Buffer.from(text), hashed, end]))
    .digest()
  const signature = sign(null, digest, createPrivateKey({ format: 'jwk', key: secret }))
  const numbers = [signature.subarray(0, 32), signature.subarray(32)].flatMap((number) => [
    Buffer.from([1, 0]),
    number,
  ])
  const body = Buffer.concat([hashed, Buffer.alloc(2), digest.subarray(0, 2), ...numbers])
  const base64 = packetBytes({ tag: tags.signature, body }).toString('base64')
  return `-----BEGIN PGP SIGNATURE-----\n\n${base64}\n-----END PGP SIGNATURE-----\n`
}
