/**
 * `Content-Disposition` of a download: an ASCII `filename` for old clients, and `filename*` with the exact name (RFC 6266,
 * section 4.3; RFC 8187, section 3.2).
 */
export function attachment(name: string): string {
  const ascii = name.replace(/[^\w .()+-]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, percentEncoded)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

/** `encodeURIComponent` does not encode these characters, and a parameter must not contain them. */
const percentEncoded = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
