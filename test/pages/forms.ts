import assert from 'node:assert/strict'
import type { signedIn } from './admin/browser.ts'
import { holdClean, root, sameOrigin } from './browser.ts'

type Browser = Awaited<ReturnType<typeof signedIn>>

const reasonIn = (page: string) => /<p class="(?:notice|fault)[^>]*>([^<]*)/.exec(page)?.[1] ?? page

/** Sends a form that leads somewhere; the path. */
export async function led(
  by: Browser,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<string> {
  const response = await by.post(path, fields)
  assert.equal(response.status, 303, reasonIn(await response.text()))
  return (response.headers.get('location') ?? '').slice(root.length - 1)
}

/** Sends a form that is refused; the page with the reason. */
export async function refused(
  by: Browser,
  path: string,
  fields: Readonly<Record<string, string>>,
  status = 422,
): Promise<string> {
  const response = await by.post(path, fields)
  const page = await response.text()
  assert.equal(response.status, status, reasonIn(page))
  assert.match(page, /class="notice bad" role="alert"/)
  assert.doesNotMatch(page, ruleOfApi)
  holdClean(page)
  return page
}

/** How the API names the rule that a member breaks: pages say it in a sentence. */
const ruleOfApi = /<p class="(?:notice|fault)[^>]*>\s*\[\w*\]: /

/** A browser in which somebody is signed in; without a cookie, nobody is. */
export type Sender = Pick<Browser, 'cookie'>
export type Files = readonly (readonly [name: string, content: string | Uint8Array<ArrayBuffer>])[]

/** Sends a form with files as a browser does. */
export function sendFiles(
  url: string,
  { cookie }: Sender,
  path: string,
  fields: Readonly<Record<string, string>>,
  files: Files,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  for (const [name, content] of files) body.append('files', new Blob([content]), name)
  const all = { ...sameOrigin, ...(cookie !== '' && { cookie }), ...headers }
  return fetch(url + path, { method: 'POST', redirect: 'manual', headers: all, body })
}

/** Sends one that leads somewhere; the path. */
export async function ledWith(
  url: string,
  by: Sender,
  path: string,
  fields: Readonly<Record<string, string>>,
  files: Files,
): Promise<string> {
  const response = await sendFiles(url, by, path, fields, files)
  assert.equal(response.status, 303, reasonIn(await response.text()))
  return (response.headers.get('location') ?? '').slice(root.length - 1)
}
