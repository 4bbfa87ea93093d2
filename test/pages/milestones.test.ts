import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { browserOf, hostile } from './browser.ts'

const { url, call, make } = await startApp()
const [ada, eve] = await make.people('ada', 'eve')
const REPO = '/api/v1/repos/{owner}/{repo}'
const home = 'https://forgehall.example/ada/code'
await make.repository(ada, { name: 'code' })
const params = { owner: 'ada', repo: 'code' }
const { page, statusOf } = browserOf(url)
const LIST = 'GET /{owner}/{repo}/milestones'
const ONE = 'GET /{owner}/{repo}/milestone/{id}'

test(`${LIST} and ${ONE} show progress, times and issues, with texts of users as texts`, async () => {
  assert.match(await page('/ada/code/milestones'), /0 milestones[\s\S]*No open milestones/)
  assert.match(await page('/ada/code/issues'), /href="https:\/\/forgehall\.example\/ada\/code\/milestones"/)
  const title = hostile.join(' ').slice(0, 200)
  const body = { title, description: `*soon* ${hostile.join(' ')}`, due_on: '2030-01-02T00:00:00Z' }
  const { body: milestone } = await call(`POST ${REPO}/milestones`, { as: ada, params, body })
  await call(`POST ${REPO}/milestones`, { as: ada, params, body: { title: 'Done', state: 'closed' } })
  for (const [name, closed] of [
    ['First', false],
    ['Second', true],
    ['Third', true],
  ] as const)
    await call(`POST ${REPO}/issues`, {
      as: ada,
      params,
      body: { title: name, milestone: milestone.id, closed },
    })
  await call(`POST ${REPO}/issues`, { as: ada, params, body: { title: 'Outside' } })
  const listed = await page('/ada/code/milestones')
  assert.match(listed, /1 milestone</)
  assert.match(listed, /<progress max="3" value="2" aria-label="2 of 3 issues closed"><\/progress>/)
  assert.match(listed, /due <time[^>]*datetime="2030-01-02/)
  assert.ok(listed.includes(`href="${home}/milestone/${milestone.id}"`))
  assert.doesNotMatch(listed, /Done/)
  assert.match(await page('/ada/code/milestones?state=closed'), /Done[\s\S]*closed <time/)
  assert.match(await page('/ada/code/milestones?state=all'), /2 milestones/)
  const shown = await page(`/ada/code/milestone/${milestone.id}`)
  assert.match(shown, /<em>soon<\/em>/)
  assert.match(shown, /1 issue<[\s\S]*First/)
  assert.doesNotMatch(shown, /Second|Outside/)
  assert.match(
    await page(`/ada/code/milestone/${milestone.id}?state=closed`),
    /2 issues<[\s\S]*Third[\s\S]*Second/,
  )
  const issue = await page('/ada/code/issues/1')
  assert.ok(issue.includes(`href="${home}/milestone/${milestone.id}"`))
})

test(`${LIST} and ${ONE} have pages, and are for those who may read the issues`, async () => {
  await make.repository(ada, { name: 'many', is_private: true })
  const many = { ...params, repo: 'many' }
  for (let n = 1; n <= 51; n++)
    await call(`POST ${REPO}/milestones`, {
      as: ada,
      params: many,
      body: { title: `m${String(n).padStart(2, '0')}` },
    })
  const as = async (path: string, authorization: string) =>
    (await fetch(`${url}${path}`, { headers: { authorization, accept: 'text/html' } })).text()
  const first = await as('/ada/many/milestones', ada.authorization)
  assert.match(first, /51 milestones[\s\S]*m50/)
  assert.ok(first.includes('milestones?state=open&amp;page=2'))
  assert.match(await as('/ada/many/milestones?page=2', ada.authorization), /m51/)
  const [{ id }] = (await call(`GET ${REPO}/milestones`, { as: ada, params: many })).body
  for (const path of ['/ada/many/milestones', `/ada/many/milestone/${id}`]) {
    assert.equal(await statusOf(path), 404)
    const refused = await fetch(`${url}${path}`, { headers: { authorization: eve.authorization } })
    assert.equal(refused.status, 404)
  }
  for (const path of ['/ada/code/milestone/999999', '/ada/code/milestone/x', `/ada/code/milestone/${id}`])
    assert.equal(await statusOf(path), 404, path)
})
