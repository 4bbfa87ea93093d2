/** The text form of OpenPGP data (RFC 9580 §6.2). */

/** The bytes in an armor of this kind, such as `SIGNATURE`; undefined if the text is no single such armor. */
export function armored(text: string, kind: string): Buffer | undefined {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => line.trim())
  if (lines.shift() !== `-----BEGIN PGP ${kind}-----` || lines.pop() !== `-----END PGP ${kind}-----`)
    return undefined
  // Headers, such as `Version`, end with an empty line. Texts without headers are found without it, too.
  const empty = lines.indexOf('')
  const headers = empty < 0 ? [] : lines.slice(0, empty)
  const body = lines.slice(empty + 1)
  // Newer programs write no checksum, and none may rely on it.
  if (body.at(-1)?.startsWith('=')) body.pop()
  const isArmor = headers.every((line) => line.includes(': ')) && body.every(isBase64)
  return isArmor ? Buffer.from(body.join(''), 'base64') : undefined
}

const isBase64 = (line: string) => /^[A-Za-z0-9+/]+={0,2}$/.test(line)

/** The armor of a public key, without a checksum. */
export function armorOfKeys(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return [
    '-----BEGIN PGP PUBLIC KEY BLOCK-----',
    '',
    ...lines,
    '-----END PGP PUBLIC KEY BLOCK-----',
    '',
  ].join('\n')
}
