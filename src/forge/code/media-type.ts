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
  ['webm', 'video/webm'],
  ['mp3', 'audio/mpeg'],
  ['ogg', 'audio/ogg'],
])

/** The media type of a picture, video or sound file by its name; undefined for all other files. */
export const mediaTypeOf = (path: string): string | undefined =>
  types.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase())
