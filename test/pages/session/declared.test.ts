import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageRoutes } from '../../../src/pages/routes.ts'
import { startApp } from '../../support/app.ts'
import { makersFor, samePassword } from '../../support/forge/make.ts'
import { browserHeaders, browserOf, cookieOf, root } from '../browser.ts'

const app = await startApp()
const make = makersFor(app)
const ada = await make.person({ name: 'ada' })
const guild = await make.organization(ada, { name: 'guild' })
await make.team(guild, [ada], { name: '1' })
await make.repository(ada, { name: 'code' })
await make.repository(ada, { name: 'old' })
await app.pool`update forge.repository set is_archived = true where name = 'old'`
const cookie = await cookieOf(app.url, { user: 'ada', password: samePassword })
const { get } = browserOf(app.url)

const pathOf = (path: string, repo: string) =>
  path
    .replace('{owner}', 'ada')
    .replace('{repo}', repo)
    .replace('{org}', 'guild')
    .replace(/\{\w+(?:\.\.\.)?\}/g, '1')
const pages = Object.values(pageRoutes)
/** Everybody sees the labels of a public repository. */
const labels = '/{owner}/{repo}/labels'
const own = { ...browserHeaders, origin: root.slice(0, -1) }
const send = (path: string, headers: Readonly<Record<string, string>>) =>
  fetch(app.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers,
    body: new URLSearchParams({ action: 'x' }),
  })

test('each page for who is signed in leads others to the sign-in', async () => {
  const asking = pages.filter(
    ({ method, path, access }) => method === 'GET' && access.refusals.includes(303) && path !== labels,
  )
  assert.ok(asking.length > 20)
  for (const { path } of asking) assert.equal((await get(pathOf(path, 'code'))).status, 303, path)
})

test('each page and form that changes an archived repository is refused, and says so', async () => {
  const changing = pages.filter(
    ({ path, access }) => path.includes('{repo}') && access.refusals.includes(423),
  )
  assert.ok(changing.length > 5)
  for (const { path, method } of changing) {
    const at = pathOf(path, 'old')
    const { status } = method === 'GET' ? await get(at, { cookie }) : await send(at, { ...own, cookie })
    assert.equal(status, 423, `${method} ${path}`)
  }
})

test('a form about a pull request waits in the sign-in page for who is signed out', async () => {
  for (const path of ['compare/main...other', 'pulls/1', 'pulls/1/comments/1/edit'])
    assert.equal((await send(`/ada/code/${path}`, own)).status, 401, path)
})

test('DELETE /repos/{owner}/{repo}/pulls/comments/{id} deletes nothing in an archived repository', async () => {
  const params = { owner: 'ada', repo: 'old', id: '1' }
  const literal = 'DELETE /api/v1/repos/{owner}/{repo}/pulls/comments/{id}'
  assert.equal((await app.call(literal, { as: ada, params })).status, 423)
})
