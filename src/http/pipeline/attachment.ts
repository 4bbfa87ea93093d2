/** `Content-Disposition` of a download (RFC 6266, section 4.3). */
export const attachment = (name: string): string => `attachment; ${fileNames(name)}`

/** The same of a file that browsers display, for those who save it. */
export const inline = (name: string): string => `inline; ${fileNames(name)}`

/** An ASCII `filename` for old clients, and `filename*` with the exact name (RFC 8187, section 3.2). */
function fileNames(name: string): string {
  const ascii = name.replace(/[^\w .()+-]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, percentEncoded)
  return `filename="${ascii}"; filename*=UTF-8''${encoded}`
}

/** `encodeURIComponent` does not encode these characters, and a parameter must not contain them. */
const percentEncoded = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
