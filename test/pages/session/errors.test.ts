import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { makersFor, samePassword } from '../../support/forge/make.ts'
import { browserOf, cookieOf, holdClean, sameOrigin, send } from '../browser.ts'

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

/** Fails unless a page says who is signed in, what has happened and what to do next, and is about the repository if it may be. */
async function holdExplained(response: Response, about: string, status: number, hasRepository: boolean) {
  const page = await response.text()
  assert.equal(response.status, status, about)
  assert.match(page, /class="menu-person">eve/, about)
  assert.equal(/aria-label="Repository"/.test(page), hasRepository, about)
  assert.match(page, new RegExp(`<title>${status} · `), about)
  const [, what = '', next = ''] = /id="failure">([^<]+)<\/h[12]>\s*<p>([^<]+)<\/p>/.exec(page) ?? []
  assert.match(what, /^[A-Z].*\.$/, about)
  assert.match(next, /^[A-Z].*\.$/, about)
  holdClean(page)
}

test('an error shows who is signed in, and the heading of the repository that it is about', async () => {
  for (const [path, status, hasRepository] of errors)
    await holdExplained(await get(path, { cookie }), path, status, hasRepository)
})

/** A form with files whose text is larger than all texts may be. */
function largeForm(path: string): Promise<Response> {
  const body = new FormData()
  body.append('body', 'x'.repeat(600_000))
  body.append('files', new Blob(['a']), 'a.txt')
  return fetch(app.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...sameOrigin, cookie },
    body,
  })
}

test('so does the error of a form, of one that is too large, and of a server that has made a mistake', async () => {
  const issue = { params: { owner: 'ada', repo: 'code' }, body: { title: 'One' }, as: ada }
  await app.call('POST /api/v1/repos/{owner}/{repo}/issues', issue)
  const path = '/ada/code/issues/1'
  await holdExplained(
    await send(app.url, path, { action: 'none' }, { cookie }),
    'an unknown action',
    400,
    true,
  )
  await holdExplained(await largeForm(path), 'too much', 413, true)
  await app.pool.unsafe('alter table forge.reaction rename to lost')
  try {
    await holdExplained(await get(path, { cookie }), 'a mistake', 500, true)
  } finally {
    await app.pool.unsafe('alter table forge.lost rename to reaction')
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
