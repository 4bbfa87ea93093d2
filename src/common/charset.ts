import { isUtf8 } from 'node:buffer'
import { analyse } from 'chardet'

/** Bytes of a file from which its charset is guessed. A file is text if they have no NUL, as for git. */
export const examined = 8000

/** What most texts have that are not UTF-8. */
const western = 'windows-1252'

/** Percent. A few words are no evidence: `Straße` in Latin-1 could be Big5, too. */
const leastConfidence = 50

/** The charset of a text by its first bytes, in lower case; undefined for what is no text. */
export function charsetOf(start: Buffer): string | undefined {
  if (/^(?:\xff\xfe|\xfe\xff)/.test(start.toString('latin1', 0, 2))) return 'utf-16'
  if (start.includes(0)) return undefined
  if (isUtf8(wholeCharacters(start))) return 'utf-8'
  const [best] = analyse(start).filter(({ name }) => name !== 'UTF-8')
  return best && best.confidence >= leastConfidence ? best.name.toLowerCase() : western
}

/** The bytes without a character of UTF-8 that the end cuts. */
function wholeCharacters(start: Buffer): Buffer {
  if (start.length < examined) return start
  for (let cut = 1; cut <= 3; cut++) {
    const byte = start.at(-cut) ?? 0
    if (byte >= 0xc0) return start.subarray(0, -cut)
    if (byte < 0x80) break
  }
  return start
}

/** A whole text in the charset that its bytes suggest, without a byte order mark; undefined for what is no text. */
export function decodedText(bytes: Buffer): string | undefined {
  const charset = isUtf8(bytes) ? 'utf-8' : charsetOf(bytes.subarray(0, examined))
  if (charset === undefined) return undefined
  const decoder = decoderOf(charset, bytes)
  // In one piece, Node 20 takes windows-1252 for Latin-1.
  const text = decoder.decode(bytes, { stream: true }) + decoder.decode()
  return text.includes('\0') ? undefined : text
}

/** The beginning may be UTF-8 although the whole is not, and some charsets have no decoder. */
function decoderOf(charset: string, bytes: Buffer): TextDecoder {
  if (charset === 'utf-8') return new TextDecoder(isUtf8(bytes) ? charset : western)
  try {
    return new TextDecoder(charset === 'utf-16' && bytes[0] === 0xfe ? 'utf-16be' : charset)
  } catch {
    return new TextDecoder(western)
  }
}
