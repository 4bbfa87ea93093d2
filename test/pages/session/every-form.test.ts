import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startEverything } from '../../support/forge/everything.ts'
import { storedIn } from '../../support/forge/everything-routes.ts'
import { samePassword } from '../../support/forge/make.ts'
import { dotPicture } from '../../support/forge/pictures.ts'
import { cookieOf, sameOrigin } from '../browser.ts'
import { crawl, formsOf, type OfferedForm, routeFinder } from '../crawl.ts'
import { last, refusedHere, unoffered, written, writtenInto } from './pressed-forms.ts'

const { url, app, call, make, pool, eve, clock, team } = await startEverything()
const inRepo = { owner: 'ada', repo: 'code' }
const of = (path: string) => `/api/v1/repos/{owner}/{repo}${path}`

const spare = 'on: workflow_dispatch\njobs: {a: {runs-on: x, steps: [{run: echo}]}}'

/** What the pages need to offer the rest of their forms. */
async function prepare(): Promise<void> {
  await call(`POST ${of('/contents/{filepath...}')}`, {
    params: { ...inRepo, filepath: 'new.txt' },
    body: { content: Buffer.from('new\n').toString('base64'), new_branch: 'topic', message: 'New' },
  })
  await call(`POST ${of('/branches')}`, {
    params: inRepo,
    body: { new_branch_name: 'proposed', old_branch_name: 'topic' },
  })
  await call(`POST ${of('/pulls')}`, { params: inRepo, body: { title: 'New', head: 'topic', base: 'main' } })
  await call(`POST ${of('/pulls/{index}/reviews')}`, {
    params: { ...inRepo, index: 2 },
    body: { event: 'COMMENT', body: 'See', comments: [{ path: 'new.txt', new_position: 1, body: 'Why?' }] },
  })
  await call(`POST ${of('/actions/workflows/{workflow_id}/dispatches')}`, {
    params: { ...inRepo, workflow_id: 'ci.yml' },
    body: { ref: 'main' },
  })
  await call(`POST ${of('/actions/workflows/{workflow_id}/dispatches')}`, {
    params: { ...inRepo, workflow_id: 'ci.yml' },
    body: { ref: 'main' },
  })
  await pool`update forge.action_run set needs_approval = true where status <> 'success'`
  await pool`update forge.action_run set status = 'failure' where id in (2, 3)`
  await pool`update forge.action_job set status = 'failure' where run_id in (2, 3)`
  await pool`update forge.action_attempt set status = 'failure' where run_id in (2, 3)`
  const inTools = { owner: 'guild', repo: 'tools' }
  await call(`POST ${of('/contents/{filepath...}')}`, {
    params: { ...inTools, filepath: '.gitea/workflows/spare.yml' },
    body: { content: Buffer.from(spare).toString('base64'), message: 'Spare' },
  })
  const workflow = { ...inTools, workflow_id: 'spare.yml' }
  await call(`PUT ${of('/actions/workflows/{workflow_id}/disable')}`, { params: workflow })
  await call(`POST ${of('/issues')}`, { params: inTools, body: { title: 'Related' } })
  await call('POST /api/stats/session/start', { body: { username: 'another' } })
  await pool`
    insert into site.news_draft (title, content, format, updated_at)
    values ('One', 'Text', 'plain', ${clock.now()}), ('Two', 'Text', 'plain', ${clock.now()})`
  await call('POST /api/v1/user/repos', { as: eve, body: { name: 'spurned', private: true } })
  await call(`POST ${of('/transfer')}`, {
    as: eve,
    params: { owner: 'eve', repo: 'spurned' },
    body: { new_owner: 'ada' },
  })
  await make.person({ name: 'olga' })
  await call('PUT /api/v1/teams/{id}/members/{username}', { params: { id: team, username: 'olga' } })
  await call('POST /api/v1/orgs/{org}/teams', {
    params: { org: 'guild' },
    body: { name: 'makers', permission: 'read', units: ['repo.code'] },
  })
  await pool`
    insert into forge.totp (account_id, secret, created_at)
    values (${eve.id}, ${Buffer.alloc(20)}, ${clock.now()})`
}

await prepare()
await make.person({ name: 'mallory' })
const cookies = {
  ada: await cookieOf(url, { user: 'ada', password: samePassword }),
  mallory: await cookieOf(url, { user: 'mallory', password: samePassword }),
}
// Other browsers, which have buttons that end them.
for (let browser = 0; browser < 4; browser++) await cookieOf(url, { user: 'ada', password: samePassword })

/** Pages of files and commits have no forms. */
const hasNoForms = /^\/api\/|\/\{repo\}\/(?:raw|media|archive|blame|find|src|commits?|compare\/\{)|\/logs$/
const pageOf = routeFinder(
  app.routes.filter(({ method, path }) => method === 'GET' && !hasNoForms.test(path)),
)
const posts = app.routes.filter(({ method, profile }) => method === 'POST' && profile.base === '')
const postOf = routeFinder(posts)

/** What a form asks a route to do. */
const keyOf = ({ address, fields }: OfferedForm) =>
  `${postOf(new URL(address, url).pathname)?.path} ${fields.action ?? ''}`.trim()

const starts = [
  ...['/', '/settings', '/-/admin', '/overview/manage', '/notifications', '/ada/code'],
  '/ada/code/compare/main...proposed',
  '/ada/code/actions/runs/1',
  '/ada/code/actions/runs/2',
  '/ada/code/actions/runs/3',
  '/guild/tools/actions',
  '/org/guild/members',
  '/eve/spurned',
]

/** The forms of all pages that an administrator who owns everything sees, and of the sign-in page. */
async function offered(): Promise<OfferedForm[]> {
  const pages = await crawl(url, { cookie: cookies.ada }, starts, (path) => pageOf(path)?.path)
  const signIn = await crawl(url, {}, ['/login'], () => undefined)
  return [...pages, ...signIn].flatMap(([path, page]) => formsOf(page, path))
}

/** Of what there are several of, those whose end ends nothing that other forms are about. */
const apart: readonly (readonly [key: string, address: string])[] = [
  ['/{owner}/{repo} reject', '/eve/spurned'],
  ['/{owner}/{repo} accept', '/eve/gift'],
  ['/{owner}/{repo}/settings transfer', '/guild/'],
  ['/-/admin/users/', '/-/admin/users/eve/'],
  ['/{owner}/{repo}/actions disable', '/ada/'],
  ['/{owner}/{repo}/issues/{index} unblock', '/ada/'],
  ['/{owner}/{repo}/actions/runs/{run} rerun-job', '/ada/code/actions/runs/3'],
  ['/{owner}/-/packages/{type}/{name}/{version} delete-package', '/ada/-/packages/generic/'],
  ['/{owner}/-/packages/{type}/{name}/{version} delete-version', '/ada/-/packages/npm/'],
]

const isApart = (key: string, address: string) =>
  apart.every(([start, only]) => !key.startsWith(start) || address.startsWith(only))

/** One form for each action of each route. */
function oneOfEach(forms: readonly OfferedForm[]): Map<string, OfferedForm> {
  const found = new Map<string, OfferedForm>()
  for (const form of forms) {
    const key = keyOf(form)
    if (!found.has(key) && isApart(key, form.address)) found.set(key, form)
  }
  return found
}

/** Presses a button of a form; `cookie` is that of who does it. */
function press(form: OfferedForm, cookie?: string): Promise<Response> {
  const filled = form.empty.map((name) => [name, written[name] ?? `${name}-of-a-test`] as const)
  const fields = { ...form.fields, ...Object.fromEntries(filled), ...writtenInto[keyOf(form)] }
  const files = new FormData()
  for (const [name, value] of Object.entries(fields)) files.append(name, value)
  const dot = new File([new Uint8Array(dotPicture.bytes)], 'dot.gif', { type: 'image/gif' })
  for (const name of form.files) files.append(name, dot)
  return fetch(new URL(form.address, url), {
    method: 'POST',
    redirect: 'manual',
    headers: { ...sameOrigin, ...(cookie !== undefined && { cookie }) },
    body: form.files.length > 0 ? files : new URLSearchParams(fields),
  })
}

/** What a button says that takes something away for good. */
const final = /^(?:Delete|Remove|Replace|End|Discard|Sign (?:out all|them out)|Turn off)\b/

/** The order in which forms are pressed: of final ones, the longest address comes first. */
function rankOf(form: OfferedForm): number {
  const place = last.indexOf(keyOf(form))
  if (place >= 0) return 1_000 + place
  if (keyOf(form).endsWith('pulls/{index} merge')) return 1
  return final.test(form.button) ? 900 - form.address.length : 0
}

const reasonsOf = (page: string) =>
  [...page.matchAll(/<p class="(?:notice|fault)[^>]*>([^<]*)/g)].map(([, text = '']) => text)
const reasonsIn = (page: string) => reasonsOf(page).join(' ')

const leadsToSignIn = (headers: Headers) => /\/login(?:\?|$)/.test(headers.get('location') ?? '')

/** Whether an answer says that the form is done, or shows what was asked for. */
const isDone = ({ status, headers }: Response) =>
  status === 200 || (status === 303 && !leadsToSignIn(headers))

/** What everybody who is signed in may do: with what is their own, and to what they see. */
const forEverybody =
  /^\/(?:settings|notifications|login|repo|org\/create)|^\/\{username\}|^\/\{owner\}\/\{repo\}(?: |\/issues\/(?:new|\{index\} (?:comment|react|(?:un)?subscribe))|\/pulls\/\{index\}(?:\/files| comment| react| (?:un)?subscribe)|\/compare)/

/** Sent as they are, they change nothing, so that they call no operation that could refuse. */
const callsNothing = /issues\/\{index\} (?:labels|assignees)$/

/** Presses forms as somebody who may not; gives what was not refused. */
async function taken(forms: ReadonlyMap<string, OfferedForm>, cookie?: string): Promise<string[]> {
  const lines: string[] = []
  for (const [key, form] of forms) {
    const response = await press(form, cookie)
    await response.text()
    const isAsked = cookie === undefined && leadsToSignIn(response.headers)
    if (!isAsked && ![401, 403, 404, 422].includes(response.status)) lines.push(`${key} ${response.status}`)
  }
  return lines
}

const seen = await offered()
const tried = new Set<string>()

test('each form of a page that deletes, replaces or ends something asks first, or has to be written into', () => {
  const finals = seen.filter(({ button }) => final.test(button))
  assert.ok(finals.length > 30)
  const unasked = finals.filter(({ isAsked, page }) => !isAsked && !page.endsWith('/delete'))
  assert.deepEqual(
    unasked.map(({ page, address, button }) => `${page}: ${button} ${address}`),
    [],
  )
})

test('each form is refused for who is signed out, and for whom its operation refuses, and changes nothing', async () => {
  const before = await storedIn(pool)
  const forms = oneOfEach(seen)
  const own = new Map([...forms].filter(([key]) => !key.startsWith('/login')))
  const restricted = new Map([...forms].filter(([key]) => !forEverybody.test(key) && !callsNothing.test(key)))
  assert.ok(restricted.size > 90)
  assert.deepEqual(await taken(own), [])
  assert.deepEqual(await taken(restricted, cookies.mallory), [])
  assert.deepEqual(await storedIn(pool), before)
})

/** Forms that name somebody or something else that is there. */
const naming =
  /\/(?:collaboration|settings\/teams|members|repositories) add$|users\/\{username\}\/badges$|webhooks\/\{id\}\/test$/

/** Words of the API, which say nothing to who looks at a form: names of members, of constants and of rules. */
const ofApi = /\b[a-z]+_[a-z]+|\b[A-Z]{2,}_|\[\w*\]|\brequires\b|\bis required\b|\bbody\b|^[a-z]/

test('each form that is sent with nothing in it, or names what is not there, says so in words of the page', async () => {
  const said: string[] = []
  const sendWith = async (key: string, form: OfferedForm, text: string) => {
    const fields = { ...form.fields, ...Object.fromEntries(form.empty.map((name) => [name, text])) }
    const response = await fetch(new URL(form.address, url), {
      method: 'POST',
      redirect: 'manual',
      headers: { ...sameOrigin, cookie: cookies.ada },
      body: new URLSearchParams(fields),
    })
    const page = await response.text()
    if (text !== '') assert.equal(response.status, 422, key)
    if (response.status === 422) said.push(...reasonsOf(page).map((reason) => `${key}: ${reason}`))
  }
  for (const [key, form] of oneOfEach(seen)) {
    if (form.empty.length === 0 || key.startsWith('/login')) continue
    await sendWith(key, form, '')
    if (naming.test(key)) await sendWith(key, form, 'nobody-of-this-name')
  }
  assert.ok(said.length > 60, `${said.length} sentences`)
  assert.deepEqual(
    said.filter((each) => ofApi.test(each.slice(each.indexOf(': ') + 2))),
    [],
  )
})

test('each form that a page offers is done by who sees it', async () => {
  const failures: string[] = []
  const pressAll = async (forms: ReadonlyMap<string, OfferedForm>, isLast: boolean) => {
    const waiting = [...forms]
      .filter(([key]) => !tried.has(key))
      .toSorted(([, a], [, b]) => rankOf(a) - rankOf(b))
    for (const [key, form] of waiting) {
      if (!isLast && rankOf(form) > 1) continue
      tried.add(key)
      const response = await press(form, cookies.ada)
      const page = await response.text()
      const isExpected = key in refusedHere ? response.status === 422 : isDone(response)
      if (!isExpected) failures.push(`${key} at ${form.address} ${response.status} ${reasonsIn(page)}`)
    }
  }
  await pressAll(oneOfEach(seen), false)
  // What was done makes pages offer more: to take back a star, to publish a draft.
  await pressAll(oneOfEach(await offered()), true)
  assert.deepEqual(failures, [])
  assert.ok(tried.size > 200, `only ${tried.size} forms`)
})

test('each route that takes a form has a page that offers it', () => {
  const known = new Set([...tried].map((key) => key.split(' ')[0] ?? ''))
  const missing = posts.filter(({ path }) => !known.has(path)).map(({ path }) => path)
  assert.deepEqual(missing.toSorted(), Object.keys(unoffered).toSorted())
})
