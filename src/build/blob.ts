/** Bytes for the bundle, as an expression for a function that gives them. */
export function blobOf(bytes: Uint8Array): string {
  return `() => Buffer.from('${Buffer.from(bytes).toString('base64')}', 'base64')`
}
