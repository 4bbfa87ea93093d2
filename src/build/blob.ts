/**
 * An expression for the bundle: a function that returns these bytes. It is no arrow function without braces: V8 would read
 * its text when the module is evaluated, and retain it, also if nothing calls it.
 */
export function blobOf(bytes: Uint8Array): string {
  return `function () { return Buffer.from('${Buffer.from(bytes).toString('base64')}', 'base64') }`
}
