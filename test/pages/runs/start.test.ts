import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge, startRepository } from '../../support/forge/workflows.ts'
import { signedIn } from '../admin/browser.ts'
import { browserOf, hostile, send } from '../browser.ts'
import { led, refused } from '../forms.ts'

const forge = await startForge()
const { call, make, ada, pool } = forge
const repo = await startRepository(forge, 'tool')
await make.person({ name: 'eve' })
const [owner, visitor] = [await signedIn(forge, 'ada'), await signedIn(forge, 'eve')]
const params = { owner: 'ada', repo: 'tool' }

const job = 'jobs: {a: {runs-on: x, steps: [{run: echo}]}}'
const byHand = `
name: ${JSON.stringify(hostile[0])}
on:
  workflow_dispatch:
    inputs:
      level: {description: ${JSON.stringify(hostile[1])}, default: high, required: true, type: choice, options: [low, high, ${JSON.stringify(hostile[2])}]}
      note: {required: true}
      dry: {type: boolean, default: true}
      count: {type: number, default: 3}
      place: {type: environment}
      __proto__: {default: x}
${job}`
await repo.push({
  '.gitea/workflows/hand.yml': byHand,
  '.gitea/workflows/deep/er.yml': `on: {workflow_dispatch: {}}\n${job}`,
  '.gitea/workflows/push.yml': `on: push\n${job}`,
  '.gitea/workflows/word.yml': `# not workflow_dispatch\non: push\n${job}`,
})
await repo.git('push', '-q', 'origin', 'HEAD:refs/tags/v1')
await repo.push(
  { '.gitea/workflows/hand.yml': `on: {workflow_dispatch: {inputs: {other: }}}\n${job}` },
  { branch: 'other' },
)
const form = '/ada/tool/actions/start/hand.yml'

const runs = async () =>
  (await pool`select id from forge.action_run where event = 'workflow_dispatch'`).length
/** Those of a run that a form led to. */
const runAt = async (path: string) => {
  const [, id = ''] = /^\/ada\/tool\/actions\/runs\/(\d+)$/.exec(path) ?? []
  const [row] = await pool`select ref, payload from forge.action_run where id = ${Number(id)}`
  return row ?? assert.fail(path)
}

test('GET /{owner}/{repo}/actions leads who may start workflows to a form for each that has workflow_dispatch', async () => {
  const listed = await owner.page('/ada/tool/actions')
  const links = [...listed.matchAll(/href="[^"]+\/actions\/start\/([^"]+)"/g)].map(([, file]) => file)
  assert.deepEqual(links, ['deep%2Fer.yml', 'hand.yml', 'word.yml'])
  for (const page of [
    await visitor.page('/ada/tool/actions'),
    await browserOf(forge.url).page('/ada/tool/actions'),
  ])
    assert.doesNotMatch(page, /actions\/start/)
})

test('POST /{owner}/{repo}/actions disables a workflow and enables it again, for those who may', async () => {
  const address = '/ada/tool/actions'
  const switched = { action: 'disable', workflow: 'hand.yml' }
  assert.equal(await led(owner, address, switched), address)
  const disabled = await owner.page(address)
  assert.match(disabled, /hand\.yml<\/a><\/h3><p class="meta"><span class="badge">disabled</)
  assert.doesNotMatch(disabled, /actions\/start\/hand\.yml/)
  assert.match(await owner.page(form), /This workflow is disabled/)
  assert.equal(await led(owner, address, { ...switched, action: 'enable' }), address)
  assert.match(await owner.page(address), /actions\/start\/hand\.yml/)
  assert.equal((await owner.post(address, { ...switched, workflow: hostile[0] ?? '' })).status, 422)
  assert.equal((await owner.post(address, { action: 'other' })).status, 400)
  assert.equal((await visitor.post(address, switched)).status, 403)
})

test('GET /{owner}/{repo}/actions/start/{workflow_id} has a field for each input that the workflow declares at a ref', async () => {
  const shown = await owner.page(form)
  assert.match(
    shown,
    /<select id="input-0" name="input-level"[^>]*><option value="low">low<\/option><option value="high" selected>/,
  )
  assert.match(shown, /<input type="text" value="" id="input-1" name="input-note" required/)
  assert.match(shown, /<select id="input-2" name="input-dry"[^>]*><option value="true" selected>Yes/)
  assert.match(shown, /<input type="number" value="3" id="input-3" name="input-count"/)
  assert.match(shown, /<input type="text" value="" id="input-4" name="input-place"/)
  assert.match(shown, /<option value="refs\/heads\/main" selected>main<\/option>/)
  assert.match(shown, /<option value="refs\/tags\/v1">v1 \(tag\)<\/option>/)
  const other = await owner.page(`${form}?ref=refs/heads/other`)
  assert.match(other, /name="input-other"/)
  assert.doesNotMatch(other, /name="input-level"/)
  assert.match(other, /Start on other<\/button>/)
  assert.match(await owner.page('/ada/tool/actions/start/deep%2Fer.yml'), /Start on main/)
  assert.match(await owner.page('/ada/tool/actions/start/word.yml'), /no workflow_dispatch among its events/)
  for (const ref of ['refs/heads/none', '--all', hostile[0] ?? '']) {
    const none = await owner.page(`${form}?${new URLSearchParams({ ref })}`)
    assert.match(none, /That branch or tag does not have this workflow/)
    assert.doesNotMatch(none, /Start on/)
  }
})

test('POST /{owner}/{repo}/actions/start/{workflow_id} starts a run with its inputs, once for a form that is sent twice', async () => {
  const [, form_id = ''] = /name="form_id" value="([^"]+)"/.exec(await owner.page(form)) ?? []
  const fields = {
    form_id,
    ref: 'refs/heads/main',
    'input-level': 'low',
    'input-note': hostile[3] ?? '',
    'input-dry': 'false',
    stranger: 'x',
  }
  const before = await runs()
  const path = await led(owner, form, fields)
  assert.equal(await led(owner, form, fields), path)
  assert.equal(await runs(), before + 1)
  const { ref, payload } = await runAt(path)
  assert.equal(ref, 'refs/heads/main')
  assert.deepEqual(payload.inputs, {
    level: 'low',
    note: hostile[3],
    dry: 'false',
    count: '3',
    place: '',
    ['__proto__']: 'x',
  })
  await owner.page(path)
  const tagged = await runAt(await led(owner, form, { ref: 'refs/tags/v1' }))
  assert.equal(tagged.ref, 'refs/tags/v1')
})

test('POST /{owner}/{repo}/actions/start/{workflow_id} refuses as the operation does, and keeps what was written', async () => {
  const before = await runs()
  const page = await refused(owner, form, { ref: 'refs/heads/none', 'input-note': hostile[0] ?? '' })
  assert.ok(page.includes('value="&lt;script&gt;alert(1)&lt;/script&gt;"'))
  await refused(owner, '/ada/tool/actions/start/push.yml', { ref: 'main' })
  await refused(owner, form, {})
  assert.equal((await owner.post('/ada/tool/actions/start/none.yml', { ref: 'main' })).status, 404)
  assert.equal(await owner.statusOf('/ada/tool/actions/start/none.yml'), 404)
  const disabling = { as: ada, params: { ...params, workflow_id: 'hand.yml' } }
  await call('PUT /api/v1/repos/{owner}/{repo}/actions/workflows/{workflow_id}/disable', disabling)
  assert.match(await owner.page(form), /This workflow is disabled/)
  await refused(owner, form, { ref: 'refs/heads/main' }, 403)
  await call('PUT /api/v1/repos/{owner}/{repo}/actions/workflows/{workflow_id}/enable', disabling)
  assert.equal(await runs(), before)
})

test('GET and POST /{owner}/{repo}/actions/start/{workflow_id} are for those who may write to Actions', async () => {
  assert.equal(await visitor.statusOf(form), 403)
  assert.equal((await visitor.post(form, { ref: 'main' })).status, 403)
  const change = (body: object) => call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params, body })
  await change({ private: true })
  assert.equal(await visitor.statusOf(form), 404)
  assert.equal((await visitor.post(form, { ref: 'main' })).status, 404)
  await change({ private: false, archived: true })
  assert.match(await owner.page(form), /The repository is archived/)
  await refused(owner, form, { ref: 'refs/heads/main' }, 403)
})

test('POST /{owner}/{repo}/actions/start/{workflow_id} keeps the form of whoever is not signed in', async () => {
  const before = await runs()
  const response = await send(forge.url, form, { ref: 'main', note: 'later' })
  assert.equal(response.status, 401)
  assert.match(await response.text(), /name="note" value="later"|later/)
  assert.equal(await runs(), before)
})
