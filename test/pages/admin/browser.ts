import assert from 'node:assert/strict'
import type { TestApp } from '../../support/app.ts'
import { samePassword } from '../../support/forge/make.ts'
import { browserHeaders, browserOf } from '../clean.ts'

/** Where the pages of the tests are. */
export const root = 'https://forgehall.example/'

/** Headers of a form that comes from a page of this server. */
export const sameOrigin = { ...browserHeaders, 'sec-fetch-site': 'same-origin', origin: root.slice(0, -1) }

/** Sends a form as a browser does, and follows no redirects. */
export const send = (
  url: string,
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
) =>
  fetch(url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...sameOrigin, ...headers },
    body: new URLSearchParams(fields),
  })

/** The cookie of somebody who has signed in. */
export async function cookieOf(url: string, user: string): Promise<string> {
  const response = await send(url, '/login', { user, password: samePassword })
  assert.equal(response.status, 303, await response.text())
  return response.headers.get('set-cookie')?.split(';')[0] ?? ''
}

/** A browser in which somebody is signed in. */
export async function signedIn({ url }: Pick<TestApp, 'url'>, user: string) {
  const cookie = await cookieOf(url, user)
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
