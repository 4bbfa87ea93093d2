/** An expression for the bundle: a function that returns these bytes. */
export function blobOf(bytes: Uint8Array): string {
  return `() => Buffer.from('${Buffer.from(bytes).toString('base64')}', 'base64')`
}
