import { charsetOf, examined } from '../../common/charset.ts'

/** Media types that browsers display, by extension. */
const types: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['avif', 'image/avif'],
  ['bmp', 'image/bmp'],
  ['ico', 'image/x-icon'],
  ['svg', 'image/svg+xml'],
  ['mp4', 'video/mp4'],
  ['mov', 'video/quicktime'],
  ['webm', 'video/webm'],
  ['mp3', 'audio/mpeg'],
  ['m4a', 'audio/mp4'],
  ['ogg', 'audio/ogg'],
  ['wav', 'audio/wav'],
  ['flac', 'audio/flac'],
  ['pdf', 'application/pdf'],
])

/** The media type of a picture, video or sound file, or of a PDF, by its name; undefined for all other files. */
export const mediaTypeOf = (path: string): string | undefined =>
  types.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase())

/** First bytes as latin1, and the media type of files that begin so; a dot is any byte. */
const beginnings: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF.{4}WEBP/s, 'image/webp'],
  [/^RIFF.{4}WAVE/s, 'audio/wav'],
  [/^.{4}ftypavi[fs]/s, 'image/avif'],
  [/^.{4}ftypM4A /s, 'audio/mp4'],
  [/^.{4}ftypqt {2}/s, 'video/quicktime'],
  [/^.{4}ftyp(?:iso|mp4|avc1|M4V )/s, 'video/mp4'],
  [/^\x1aE\xdf\xa3.{0,40}webm/s, 'video/webm'],
  [/^ID3/, 'audio/mpeg'],
  [/^OggS/, 'audio/ogg'],
  [/^fLaC/, 'audio/flac'],
  [/^%PDF-/, 'application/pdf'],
]

/**
 * The media type of a file, with the charset of a text, by its first bytes and its name; undefined for what browsers do not
 * display.
 */
export function contentTypeOf(path: string, start: Buffer): string | undefined {
  const head = start.toString('latin1', 0, 64)
  const type = mediaTypeOf(path) ?? beginnings.find(([pattern]) => pattern.test(head))?.[1]
  if (type !== undefined) return type
  const charset = charsetOf(start.subarray(0, examined))
  return charset === undefined ? undefined : `text/plain; charset=${charset}`
}
