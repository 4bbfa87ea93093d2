import type { Plugin } from './folder.ts'

/**
 * Bytes for the bundle, as an expression for a function that gives them. They stand, in base64, in a comment in the body
 * of another function, which is asked for its text: V8 passes over comments some times faster than over literals, whose
 * characters it gathers, and nothing of it is memory until somebody calls. The comment has lines of its own, so that
 * no error can be on a line of megabytes, which node would print.
 */
export function blobOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('base64')
  return `() => {
    const text = String(function () {/*!\n${text}\n*/})
    return Buffer.from(text.slice(text.indexOf('/*!') + 3, text.lastIndexOf('*/')).trim(), 'base64')
  }`
}

/** Lets such comments stay where they are; tsup would gather them at the end of the file. */
export const keepBlobs: Plugin = {
  name: 'blobs',
  setup(build) {
    build.initialOptions.legalComments = 'inline'
  },
}
