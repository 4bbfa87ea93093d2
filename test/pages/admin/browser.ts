import assert from 'node:assert/strict'
import type { TestApp } from '../../support/app.ts'
import { samePassword } from '../../support/forge/make.ts'
import { browserOf, cookieOf, root, send } from '../browser.ts'

/** A browser in which somebody is signed in. */
export async function signedIn({ url }: Pick<TestApp, 'url'>, user: string) {
  const cookie = await cookieOf(url, { user, password: samePassword })
  const browser = browserOf(url)
  /** Sends a form; the page to which it leads, which must say that it is done. */
  const done = async (path: string, fields: Readonly<Record<string, string>> = {}): Promise<string> => {
    const response = await send(url, path, fields, { cookie })
    assert.equal(response.status, 303, `${path}: ${await response.text()}`)
    const location = response.headers.get('location') ?? ''
    assert.ok(location.startsWith(root), location)
    const page = await browser.page(`/${location.slice(root.length)}`, { cookie })
    assert.match(page, /class="notice" role="status"/, location)
    return page
  }
  /** Sends a form that is refused; the page with the reason. */
  const refused = async (path: string, fields: Readonly<Record<string, string>> = {}): Promise<string> => {
    const response = await send(url, path, fields, { cookie })
    const page = await response.text()
    assert.equal(response.status, 422, `${path}: ${page}`)
    assert.match(page, /class="notice bad" role="alert"/)
    return page
  }
  return {
    cookie,
    page: (path: string) => browser.page(path, { cookie }),
    statusOf: (path: string) => browser.statusOf(path, { cookie }),
    post: (path: string, fields: Readonly<Record<string, string>> = {}) =>
      send(url, path, fields, { cookie }),
    done,
    refused,
  }
}
