import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { browserOf, hostile } from '../browser.ts'

const app = await startApp({ DATA_DIR: join(await temporaryFolder(), 'data') })
const { url, call, pool } = app
const make = makersFor(app)
const [ada, eve] = [await make.person({ name: 'ada' }), await make.person({ name: 'eve' })]
await make.repository(ada, { name: 'code' })
const params = { owner: 'ada', repo: 'code' }

const { get, page, statusOf } = browserOf(url)
const open = (title: string, body: string) =>
  call('POST /api/v1/repos/{owner}/{repo}/issues', { as: ada, params, body: { title, body } })
const say = (index: number, body: string) =>
  call('POST /api/v1/repos/{owner}/{repo}/issues/{index}/comments', {
    as: eve,
    params: { ...params, index },
    body: { body },
  })

test('GET /{owner}/{repo}/issues/{index} shows an issue with labels, reactions and comments', async () => {
  const { body: label } = await call('POST /api/v1/repos/{owner}/{repo}/labels', {
    as: ada,
    params,
    body: { name: 'kind/bug', color: '#EE0701', description: hostile[1] },
  })
  await open('It leaks', '**bold** @eve')
  const index = 1
  await call('POST /api/v1/repos/{owner}/{repo}/issues/{index}/labels', {
    as: ada,
    params: { ...params, index },
    body: { labels: [label.id] },
  })
  const { body: comment } = await say(index, 'so it does, #1')
  const reaction = { as: ada, body: { content: 'heart' } }
  await call('POST /api/v1/repos/{owner}/{repo}/issues/comments/{id}/reactions', {
    ...reaction,
    params: { ...params, id: comment.id },
  })
  const shown = await page('/ada/code/issues/1')
  assert.match(
    shown,
    /<h2>It leaks <span class="quiet-text">#1<\/span> <span class="badge state good"><svg [^>]*>.*<\/svg> Open<\/span><\/h2>/,
  )
  assert.match(shown, /<strong>bold<\/strong> <a href="https:\/\/forgehall\.example\/eve"/)
  assert.match(shown, /label on-light"[^>]*><svg [^>]*><path [^>]*fill="#ee0701"\/><\/svg>kind\/bug/)
  assert.doesNotMatch(shown, /· changed/, 'an answer changes no text')
  const [, section = ''] = shown.split(`id="issuecomment-${comment.id}"`)
  assert.match(section, /so it does, <a href="https:\/\/forgehall\.example\/ada\/code\/issues\/1"/)
  assert.match(section, /❤️ 1/)
  assert.equal(
    (await get('/ada/code/pulls/1')).headers.get('location'),
    'https://forgehall.example/ada/code/issues/1',
  )
  for (const path of ['issues/2', 'issues/0', 'issues/x', 'issues/-1', 'issues/99999999999999999999'])
    assert.equal(await statusOf(`/ada/code/${path}`), 404, path)
})

test('GET /{owner}/{repo}/issues lists issues by state, label and text, page by page', async () => {
  for (let at = 0; at < 51; at++) await open(`Many ${at}`, '')
  const first = await page('/ada/code/issues')
  assert.match(first, /52 issues/)
  assert.match(first, /href="[^"]+page=2">Next/)
  assert.match(await page('/ada/code/issues?page=2'), /It leaks/)
  assert.match(await page('/ada/code/issues?labels=kind/bug'), /1 issue</)
  assert.match(await page('/ada/code/issues?q=leaks&state=all'), /1 issue</)
  assert.match(await page('/ada/code/issues?state=closed'), /0 issues/)
  for (const query of ['state=<b>', 'q="><script>', 'labels=%00', 'page=-1', 'page=x', 'q=%25_%5C'])
    await page(`/ada/code/issues?${query}`)
})

/** The numbers of the issues of a list, in its order. */
async function numbers(query: string): Promise<number[]> {
  const text = await page(`/ada/code/issues?${query}`)
  return [...text.matchAll(/class="issue-row"><h3>.*?\/issues\/(\d+)">/g)].map(([, number]) => Number(number))
}

test('GET /{owner}/{repo}/issues filters by milestone and assignee, and sorts', async () => {
  const { body: milestone } = await call('POST /api/v1/repos/{owner}/{repo}/milestones', {
    as: ada,
    params,
    body: { title: 'First light' },
  })
  const { body: issue } = await call('POST /api/v1/repos/{owner}/{repo}/issues', {
    as: ada,
    params,
    body: { title: 'Planned', assignees: ['ada'], milestone: milestone.id },
  })
  assert.deepEqual(await numbers('milestones=First+light'), [issue.number])
  assert.deepEqual(await numbers('assigned_by=ADA'), [issue.number])
  assert.deepEqual(await numbers('assigned_by=eve'), [])
  assert.deepEqual(await numbers('milestones=none'), [])
  assert.equal((await get('/ada/code/issues?assigned_by=nobody')).status, 404)
  const newest = await numbers('')
  assert.deepEqual((await numbers('sort=oldest')).slice(0, 3), [1, 2, 3])
  assert.equal(newest[0], issue.number)
  assert.equal((await numbers('sort=mostcomment'))[0], 1)
  app.clock.tick(60_000)
  await say(2, 'again')
  assert.equal((await numbers('sort=recentupdate'))[0], 2)
  assert.equal((await numbers('sort=recentupdate&q=many'))[0], 2)
  assert.deepEqual(await numbers('sort=x'), newest)
})

test('the menus of the issues lead to the same list with one filter more or less', async () => {
  const shown = await page('/ada/code/issues?labels=kind/bug&q=leaks')
  const hrefs = [...shown.matchAll(/class="filter-choice" href="([^"]+)"[^>]*><bdi>([^<]+)/g)].map(
    ([, address = '', text = '']) => [
      text,
      new URL(address.replaceAll('&amp;', '&')).searchParams.toString(),
    ],
  )
  const to = Object.fromEntries(hrefs)
  assert.equal(to.closed, 'state=closed&labels=kind%2Fbug&q=leaks')
  assert.equal(to['kind/bug'], 'state=open&q=leaks')
  assert.equal(to.ada, 'state=open&labels=kind%2Fbug&assigned_by=ada&q=leaks')
  assert.equal(to['First light'], 'state=open&labels=kind%2Fbug&milestones=First+light&q=leaks')
  assert.equal(to.Oldest, 'state=open&labels=kind%2Fbug&q=leaks&sort=oldest')
  assert.match(shown, /name="labels" value="kind\/bug"/)
  for (const [, query] of hrefs) await page(`/ada/code/issues?${query}`)
})

test('a repository of very many issues offers the orders that have an index', async () => {
  await pool`update forge.repository set last_issue = 10001 where name = 'code'`
  const shown = await page('/ada/code/issues?sort=recentupdate')
  assert.match(shown, /Oldest/)
  assert.doesNotMatch(shown, /Last changed/)
  assert.equal((await numbers('sort=recentupdate'))[0], 53)
})

test('GET /{owner}/{repo}/issues/{index} shows the files of an issue and of its comments', async () => {
  const { body: issue } = await open('With files', 'see below')
  const { body: comment } = await say(issue.number, 'and mine')
  const add = (path: string, name: string) =>
    fetch(`${url}/api/v1/repos/ada/code/issues/${path}/assets?name=${encodeURIComponent(name)}`, {
      method: 'POST',
      headers: { authorization: ada.authorization, 'content-type': 'text/plain' },
      body: 'content',
    })
  assert.equal((await add(issue.number, 'a&<b>.txt')).status, 201)
  assert.equal((await add(`comments/${comment.id}`, 'c.log')).status, 201)
  const [issuePart = '', commentPart = ''] = (await page(`/ada/code/issues/${issue.number}`)).split(
    'id="issuecomment-',
  )
  const link = /<a href="https:\/\/forgehall\.example\/attachments\/[0-9a-f-]{36}">(.*)<\/a>/
  assert.equal(link.exec(issuePart)?.[1], 'a&amp;&lt;b&gt;.txt')
  assert.equal(link.exec(commentPart)?.[1], 'c.log')
})

test('GET /{owner}/{repo}/issues/{index} shows what happened, with texts of users as texts', async () => {
  const { body: issue } = await open('Before', 'see below')
  const { number } = issue
  const of = (literal: string, body?: object) =>
    call(literal.replace(' ', ' /api/v1/repos/{owner}/{repo}'), {
      as: ada,
      params: { ...params, index: number },
      ...(body && { body }),
    })
  const { body: label } = await of('POST /labels', { name: '<i>odd</i>', color: '#00ff00' })
  const { body: milestone } = await of('POST /milestones', { title: '<i>soon</i>' })
  const { body: other } = await open('<i>other</i>', '')
  const edit = (body: object) => of('PATCH /issues/{index}', body)
  await of('POST /issues/{index}/labels', { labels: [label.id] })
  await of('DELETE /issues/{index}/labels')
  await edit({ title: '<i>after</i>', ref: '<i>main</i>', milestone: milestone.id, assignees: ['ada'] })
  await edit({ milestone: 0, assignees: [], due_date: '2030-01-02T00:00:00Z' })
  await edit({ due_date: '2030-01-03T00:00:00Z' })
  await edit({ unset_due_date: true })
  await of('POST /issues/{index}/dependencies', { index: other.number })
  await of('DELETE /issues/{index}/dependencies', { index: other.number })
  await edit({ state: 'closed' })
  await edit({ state: 'open' })
  await of('PUT /issues/{index}/lock', { lock_reason: '<i>heat</i>' })
  await of('DELETE /issues/{index}/lock')
  await of('PUT /issues/{index}/lock', {})
  await of('POST /issues/{index}/pin')
  await of('DELETE /issues/{index}/pin')
  const shown = await page(`/ada/code/issues/${number}`)
  assert.doesNotMatch(shown, /<i>/)
  const lines = [...shown.matchAll(/<p class="meta" id="issuecomment-\d+">(.*?)<time/gs)].map(
    ([, line = '']) =>
      line
        .replace(/<[^>]*>/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
  )
  const odd = (text: string) => `&lt;i&gt;${text}&lt;/i&gt;`
  assert.deepEqual(lines, [
    `ada gave the label ${odd('odd')}`,
    `ada took the label ${odd('odd')}`,
    `ada changed the title from Before to ${odd('after')}`,
    `ada changed the ref from to ${odd('main')}`,
    `ada chose the milestone ${odd('soon')}`,
    'ada assigned ada',
    'ada set the deadline 2030-01-02',
    `ada removed the milestone ${odd('soon')}`,
    'ada no longer assigns ada',
    'ada changed the deadline from 2030-01-02 to 2030-01-03',
    'ada removed the deadline 2030-01-03',
    `ada added a dependency #${other.number} ${odd('other')}`,
    `ada removed a dependency #${other.number} ${odd('other')}`,
    'ada closed this',
    'ada reopened this',
    `ada locked this: ${odd('heat')}`,
    'ada unlocked this',
    'ada locked this',
    'ada pinned this',
    'ada unpinned this',
  ])
})

test('GET /{owner}/{repo}/issues/{index} shows hostile texts as texts, and no more than a page holds', async () => {
  const { body: issue } = await open(hostile.join(' '), hostile.join('\n\n'))
  for (const text of hostile) await say(issue.number, text)
  for (let at = 0; at < 10; at++) await say(issue.number, 'x '.repeat(30_000))
  for (let at = 0; at < 86; at++) await say(issue.number, `comment ${at}`)
  const shown = await page(`/ada/code/issues/${issue.number}`)
  assert.ok(shown.includes('&lt;script&gt;alert(1)&lt;/script&gt;'))
  assert.equal(shown.match(/This page has no room for this text/g)?.length, 2)
  assert.match(shown, /comment 83/)
  assert.ok(!shown.includes('comment 84'))
  const second = await page(`/ada/code/issues/${issue.number}?page=2`)
  assert.match(second, /comment 84/)
  await page('/ada/code/issues')
  for (const query of ['page=999', 'page=0', 'page=<'])
    await page(`/ada/code/issues/${issue.number}?${query}`)
})

test('issues that are private, or switched off, have no pages for others', async () => {
  const paths = ['/ada/code/issues', '/ada/code/issues/1', '/ada/code/pulls/1']
  await pool`update forge.repository set is_private = true where name = 'code'`
  for (const path of paths) {
    assert.equal(await statusOf(path), 404)
    assert.equal(await statusOf(path, { authorization: eve.authorization }), 404)
    assert.ok([200, 303].includes(await statusOf(path, { authorization: ada.authorization })))
  }
  await pool`update forge.repository set is_private = false, settings = settings || '{"has_issues": false}'::jsonb`
  for (const path of paths.slice(0, 2))
    assert.equal(await statusOf(path, { authorization: ada.authorization }), 404)
})
