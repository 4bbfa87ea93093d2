/**
 * An expression for the bundle: a function that returns these bytes. It is no arrow function without braces: V8 reads the
 * text of such a one as soon as its module is evaluated, and keeps it, also where it is never called.
 */
export function blobOf(bytes: Uint8Array): string {
  return `function () { return Buffer.from('${Buffer.from(bytes).toString('base64')}', 'base64') }`
}
