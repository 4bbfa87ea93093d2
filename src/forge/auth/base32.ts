import { trimEnd } from '../../common/trim.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648 §6 without padding, as authenticator apps expect their secrets. */
export function encodeBase32(bytes: Uint8Array): string {
  let text = ''
  let held = 0
  let count = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    for (count += 8; count >= 5; count -= 5) text += ALPHABET.charAt((held >> (count - 5)) & 31)
    held &= (1 << count) - 1
  }
  return count > 0 ? text + ALPHABET.charAt((held << (5 - count)) & 31) : text
}

/** Decodes base32 in either case, with or without padding and blanks; undefined if the text has other characters. */
export function decodeBase32(text: string): Buffer | undefined {
  const digits = trimEnd(text.replace(/[ -]/g, ''), '=').toUpperCase()
  const bytes: number[] = []
  let held = 0
  let count = 0
  for (const digit of digits) {
    const value = ALPHABET.indexOf(digit)
    if (value < 0) return undefined
    held = ((held << 5) | value) & 0xfff
    count += 5
    if (count >= 8) {
      count -= 8
      bytes.push((held >> count) & 255)
    }
  }
  return Buffer.from(bytes)
}
