import assert from 'node:assert/strict'
import type { signedIn } from './admin/browser.ts'
import { holdClean, root } from './browser.ts'

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
  holdClean(page)
  return page
}
