import assert from 'node:assert/strict'
import type { TestApp } from '../support/app.ts'
import { makersFor, samePassword } from '../support/forge/make.ts'
import { cookieOf, root, sameOrigin, send as sendAt } from './browser.ts'

export const manage = '/overview/manage'

/** An administrator with a browser. */
export async function manageIn(app: TestApp, name = 'editor') {
  const { url } = app
  const admin = await makersFor(app).admin({ name })
  const cookie = await cookieOf(url, { user: name, password: samePassword })
  const get = (path: string) => fetch(url + path, { redirect: 'manual', headers: { ...sameOrigin, cookie } })
  const show = async (path: string) => {
    const shown = await get(path)
    assert.equal(shown.status, 200, path)
    return shown.text()
  }
  const form_token = hiddenIn(await show(manage), 'form_token')
  const send = (path: string, fields: Record<string, string>) =>
    sendAt(url, path, { form_token, ...fields }, { cookie })
  /** Sends a form that is done; gives where it leads, below `/overview/manage`. */
  const done = async (path: string, fields: Record<string, string>) => {
    const { status, headers } = await send(path, fields)
    assert.equal(status, 303, JSON.stringify(fields))
    return (headers.get('location') ?? '').replace(`${root}overview/manage`, '')
  }
  return { admin, cookie, form_token, get, show, send, done }
}

/** The value of a hidden field of a page; "" without such a field. */
export const hiddenIn = (page: string, name: string) =>
  new RegExp(`type="hidden" name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ''
