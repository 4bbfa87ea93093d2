import { done, failed, type Outcome } from '../../common/outcome.ts'
import { blobType, fingerprintOf, invalid, isKeyType, readBlob } from './ssh-blob.ts'
import { blobOfPem } from './ssh-pem.ts'

/** A public key that passed all checks. */
interface SshKey {
  /** The type in the first field, e.g. `ssh-ed25519`. */
  readonly type: string
  readonly bits: number
  /** May be empty. */
  readonly comment: string
  /** The normal form, one line: `type base64 comment`, without trailing blank. */
  readonly line: string
  /** See `fingerprintOf`. */
  readonly fingerprint: string
}

/** The error messages (422) for conflicts that only the database detects; the key is checked before the title. */
export const KEY_USED = 'Key content has been used as non-deploy key'
export const KEY_TITLE_USED = 'Key title has been used'

/** Maximum number of characters of the base64, and of the whole text. */
const MAX_BASE64 = 5461
const MAX_TEXT = 9500

const PRIVATE = /-{4,5} ?BEGIN [A-Z0-9 ]*PRIVATE KEY|^PuTTY-User-Key-File/
const SSH2_BEGIN = '---- BEGIN SSH2 PUBLIC KEY ----'
const SSH2_END = '---- END SSH2 PUBLIC KEY ----'
const CONTROL = /[\u0000-\u001f\u007f]/

/** A key whose bytes are not yet decoded. `type` is the type that the text states, if any. */
interface KeyParts {
  readonly type?: string
  readonly base64: string
  readonly comment: string
}

/**
 * Parses one public key: an OpenSSH line (`type base64 comment`, or the base64 alone), an SSH2 block (RFC 4716) or a
 * PEM block. Line breaks of any kind are allowed, also inside the base64. The fault is the error message (422) for the
 * client and never quotes the text, which may be a private key by mistake.
 */
export function parseSshKey(text: string): Outcome<SshKey, string> {
  const trimmed = text.trim()
  if (trimmed === '') return failed(invalid('the text is empty'))
  if (PRIVATE.test(trimmed)) return failed(invalid('this is a private key; keep it, and give the public one'))
  if (trimmed.length > MAX_TEXT) return failed(invalid(`the text is longer than ${MAX_TEXT} characters`))
  if (trimmed.startsWith('-----BEGIN')) return keyOfPem(trimmed)
  const parts = trimmed.startsWith('----') ? partsOfSsh2(trimmed) : partsOfLine(trimmed)
  return parts.ok ? keyOfParts(parts.value) : parts
}

function keyOfPem(text: string): Outcome<SshKey, string> {
  const blob = blobOfPem(text)
  return blob.ok ? keyOfBlob(blob.value, '') : blob
}

function keyOfParts({ type, base64, comment }: KeyParts): Outcome<SshKey, string> {
  if (base64.length > MAX_BASE64) return failed(invalid(`the key is longer than ${MAX_BASE64} characters`))
  const blob = Buffer.from(base64, 'base64')
  // Buffer.from skips invalid characters; base64 that does not encode back to itself is damaged.
  if (blob.toString('base64') !== base64) return failed(invalid('the base64 is damaged'))
  const inner = blobType(blob)
  if (type !== undefined && inner !== undefined && inner !== type) {
    return failed(invalid(`the line says ${type}, but the key is of type ${inner}`))
  }
  return keyOfBlob(blob, comment)
}

function keyOfBlob(blob: Buffer, comment: string): Outcome<SshKey, string> {
  const info = readBlob(blob)
  if (!info.ok) return info
  // A line break in the comment would start a second line, with options, in an authorized_keys file.
  if (CONTROL.test(comment) || !comment.isWellFormed())
    return failed(invalid('the comment is not plain text'))
  const { type, bits } = info.value
  return done({
    type,
    bits,
    comment,
    line: `${type} ${blob.toString('base64')} ${comment}`.trimEnd(),
    fingerprint: fingerprintOf(blob),
  })
}

/**
 * Parses an OpenSSH line, which may be broken into several. Options before the key, as in authorized_keys, are refused
 * rather than dropped: they restrict the key, and without them the key would permit more than its owner intended.
 */
function partsOfLine(text: string): Outcome<KeyParts, string> {
  const lines = text.split(/[\r\n]+/)
  if (lines.slice(1).some(containsKey)) return failed(invalid('there is more than one key'))
  const [first = '', ...rest] = splitWords(lines.join(''))
  if (isBlobText(first)) return done({ base64: first, comment: rest.join(' ') })
  const [base64, ...comment] = rest
  if (isKeyType(first) && base64 !== undefined)
    return done({ type: first, base64, comment: comment.join(' ') })
  if (rest.some(isKeyType)) return failed(invalid('options in front of the key are not accepted'))
  return failed(invalid('the text is not a public key'))
}

/** RFC 4716 §3: headers, which a backslash at the end of a line continues, then base64. */
function partsOfSsh2(text: string): Outcome<KeyParts, string> {
  const whole = text.replace(/\\(?:\r\n|\r|\n)/g, '')
  const lines = whole.split(/[\r\n]+/).map((line) => line.trim())
  const end = lines.indexOf(SSH2_END)
  if (lines[0] !== SSH2_BEGIN || end < 0) return failed(invalid('the SSH2 block is not complete'))
  if (end !== lines.length - 1) return failed(invalid('there is more than one key'))
  const inside = lines.slice(1, end)
  const header = inside.find((line) => /^comment:/i.test(line)) ?? ''
  const comment = header
    .slice('comment:'.length)
    .trim()
    .replace(/^"(.*)"$/, '$1')
  return done({ base64: inside.filter((line) => !line.includes(':')).join(''), comment })
}

/** Whether a line that should only continue the base64 contains a key of its own, perhaps after options. */
function containsKey(line: string): boolean {
  return splitWords(line).slice(1).some(isBlobText)
}

/** A blob starts with the length of its type, which is three zero bytes and a small one: always these characters. */
function isBlobText(word: string): boolean {
  return /^AAAA[A-Za-z0-9+/]{20}/.test(word)
}

function splitWords(line: string): string[] {
  return line.split(/[ \t]+/)
}
