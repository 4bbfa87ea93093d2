import assert from 'node:assert/strict'
import type { TestApp } from '../support/app.ts'
import { samePassword } from '../support/forge/make.ts'
import { browserHeaders, holdClean } from './browser.ts'

/** What browsers say of themselves and their forms. */
const browser = {
  'sec-fetch-site': 'same-origin',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
}

/** An answer to a browser. */
interface Shown {
  status: number
  location: string | null
  headers: Headers
  text: string
}

/** A browser of somebody, which may be signed in. */
export function personAt({ url }: Pick<TestApp, 'url'>) {
  const ask = async (path: string, init: RequestInit = {}, cookie = ''): Promise<Shown> => {
    const headers = { ...browserHeaders, ...browser, ...(cookie && { cookie }), ...init.headers }
    const response = await fetch(url + path, { redirect: 'manual', ...init, headers })
    const text = await response.text()
    if (text !== '') holdClean(text)
    const { status } = response
    return { status, location: response.headers.get('location'), headers: response.headers, text }
  }
  const post = (path: string, fields: Record<string, string>, cookie?: string) =>
    ask(path, { method: 'POST', body: new URLSearchParams(fields) }, cookie)

  /** Gives the cookie; fails unless the sign-in succeeds. */
  async function signIn(user: string, password = samePassword, code = ''): Promise<string> {
    const { status, headers } = await post('/login', { user, password, code })
    assert.equal(status, 303)
    return headers.get('set-cookie')?.split(';')[0] ?? ''
  }

  return { get: (path: string, cookie?: string) => ask(path, {}, cookie), post, signIn }
}

/** The name of the field that a page opens with the cursor in; undefined: of none. */
export const focused = (page: string) =>
  /<(?:input|textarea)[^>]* name="(\w+)"[^>]* autofocus/.exec(page)?.[1]
