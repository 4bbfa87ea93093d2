import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { makersFor, samePassword } from '../../support/forge/make.ts'
import { browserOf, cookieOf, holdClean } from '../browser.ts'

const app = await startApp()
const make = makersFor(app)
const [ada, eve] = await make.people('ada', 'eve')
assert.ok(ada && eve)
await make.repository(ada, { name: 'code' })
await make.repository(ada, { name: 'secret', is_private: true })
const cookie = await cookieOf(app.url, { user: 'eve', password: samePassword })
const { get } = browserOf(app.url)

/** Errors of pages, and whether they are about a repository that the reader may see. */
const errors: readonly [path: string, status: number, hasRepository: boolean][] = [
  ['/nobody', 404, false],
  ['/ada/nothing', 404, false],
  ['/ada/secret', 404, false],
  ['/ada/secret/issues/1', 404, false],
  ['/-/admin', 403, false],
  ['/ada/code/issues/7', 404, true],
  ['/ada/code/commit/0000000000000000000000000000000000000000', 404, true],
  ['/ada/code/src/branch/main/none', 404, true],
]

test('an error shows who is signed in, and the heading of the repository that it is about', async () => {
  for (const [path, status, hasRepository] of errors) {
    const response = await get(path, { cookie })
    const page = await response.text()
    assert.equal(response.status, status, path)
    assert.match(page, /class="menu-name">.* eve/, path)
    assert.equal(/aria-label="Repository"/.test(page), hasRepository, path)
    assert.match(page, new RegExp(`<title>${status} · `))
    holdClean(page)
  }
})

test('an error names nobody to others, and is JSON for programs', async () => {
  for (const [path] of errors) {
    const anonymous = await get(path)
    assert.doesNotMatch(await anonymous.text(), /menu-name/, path)
    const program = await get(path, { cookie, accept: 'application/json' })
    assert.match(program.headers.get('content-type') ?? '', /json/, path)
  }
})
