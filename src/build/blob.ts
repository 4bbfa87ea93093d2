import type { Plugin } from './folder.ts'

/**
 * Bytes for the bundle, as an expression for a function that gives them. They stand, in base64, in a comment in the body
 * of another function, which is asked for its text: V8 passes over comments some times faster than over literals, whose
 * characters it gathers, and nothing of it is memory until somebody calls. The comment has lines of its own, so that
 * no error can be on a line of megabytes, which node would print.
 */
export function blobOf(bytes: Uint8Array): string {
  return commented(Buffer.from(bytes).toString('base64'), `Buffer.from(text, 'base64')`)
}

/** The same for a text, which stands there as it is. It may not begin or end with white space. */
export function textOf(text: string): string {
  const end = ['*@/', '*#/', '*~/'].find((each) => !text.includes(each))
  if (end === undefined) throw new Error('There is no way left to write the end of a comment in this text')
  return commented(text.replaceAll('*/', end), `text.replaceAll('${end}', '*/')`)
}

function commented(text: string, result: string): string {
  return `() => {
    const whole = String(function () {/*!\n${text}\n*/})
    const text = whole.slice(whole.indexOf('/*!') + 3, whole.lastIndexOf('*/')).trim()
    return ${result}
  }`
}

/** Lets such comments stay where they are; tsup would gather them at the end of the file. */
export const keepBlobs: Plugin = {
  name: 'blobs',
  setup(build) {
    build.initialOptions.legalComments = 'inline'
  },
}
