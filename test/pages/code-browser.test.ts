import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { serveHome } from '../support/binary.ts'
import { rows, runnerClient } from '../support/forge/actions.ts'
import { failure } from '../support/forge/runs.ts'
import { until } from '../support/wait.ts'

/** Debian's name and others'. */
const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)
const skip = chromium === undefined && 'no Chromium is installed: apt-get install chromium'

// They find their own files beside themselves: not to be bundled.
const load = createRequire(resolve('package.json'))

test('code and runs are read in a browser, by keyboard and on a phone, without faults of accessibility', {
  skip,
}, async () => {
  const playwright: typeof import('playwright-core') = load('playwright-core')
  const axe = await readFile(load.resolve('axe-core/axe.min.js'), 'utf8')
  const browser = await playwright.chromium.launch({ executablePath: chromium ?? '', args: ['--no-sandbox'] })
  after(() => browser.close())
  const { serving } = await serveHome()
  const { url } = serving
  const { ask, commit } = await fill(url)
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  const errors: string[] = []
  const page = await context.newPage()
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', (error) => errors.push(error.message))
  const holdAccessible = async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.evaluate(axe)
      const faults = await page.evaluate(
        `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes.map((node) => node.html)))`,
      )
      assert.deepEqual(faults, [], `${page.url()} ${colorScheme}`)
    }
    await page.setViewportSize({ width: 360, height: 640 })
    const width = await page.evaluate('document.documentElement.scrollWidth')
    assert.equal(width, 360, `${page.url()} needs no sideways scrolling on a phone`)
    await page.setViewportSize({ width: 1100, height: 800 })
  }
  const open = async (path: string) => {
    await page.goto(url + path)
    await holdAccessible()
  }

  await open('/administrator/engine')
  await page.click('button[data-copy]')
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), `${url}/administrator/engine.git`)
  await page.focus('.refs summary')
  await page.keyboard.press('Enter')
  await holdAccessible()
  await page.keyboard.press('Tab')
  await page.keyboard.type('fea')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/src/branch/main?find=fea')
  await page.click('.refs a:has-text("feature")')
  await page.waitForURL('**/src/branch/feature')

  await open('/administrator/engine/src/branch/main/a.ts#L2-L4')
  assert.deepEqual(await marked(page), ['L2', 'L3', 'L4'])
  await page.goto(`${url}/administrator/engine/src/branch/main/a.ts#L3`)
  await page.click('a[href="#L5"]', { modifiers: ['Shift'] })
  await page.waitForURL('**/a.ts#L3-L5')
  assert.deepEqual(await marked(page), ['L3', 'L4', 'L5'])
  await page.click('a:has-text("History")')
  await page.waitForURL('**/commits/branch/main/a.ts')
  await holdAccessible()
  await open(`/administrator/engine/commit/${commit}`)

  const { token } = await ask('POST', '/api/v1/admin/actions/runners/registration-token')
  const client = await startedRunner(url, token)
  let task = await fetched(client)
  const [run] = (await ask('GET', '/api/v1/repos/administrator/engine/actions/runs')).workflow_runs
  const [job] = (await ask('GET', `/api/v1/repos/administrator/engine/actions/runs/${run.id}/jobs`)).jobs
  await open(`/administrator/engine/actions/runs/${run.id}/jobs/${job.id}`)
  await page.waitForSelector('#live-note:has-text("Live")')
  const lines = [...Array.from({ length: 200 }, (_, at) => `line ${at}`), '::error::It does not fit', 'after']
  await client.updateLog({ taskId: task, index: 0n, rows: rows(...lines), noMore: true })
  await page.waitForSelector('.log-error:has-text("It does not fit")')
  const step = { id: 0n, result: failure, logIndex: 0n, logLength: 202n }
  await client.updateTask({ state: { id: task, result: failure, steps: [step] } })
  await page.waitForSelector('.notice:has-text("It does not fit")')
  await page.waitForSelector('#live-note:has-text("done")')
  await open(`/administrator/engine/actions/runs/${run.id}/jobs/${job.id}`)
  await page.reload()
  assert.ok(
    await page.locator('.log-error').evaluate((error) => {
      const { top, bottom } = error.getBoundingClientRect()
      return top >= 0 && bottom <= innerHeight
    }),
    'the error is in view',
  )

  await page.goto(`${url}/login`)
  await page.fill('[name=user]', 'administrator')
  await page.fill('[name=password]', 'a password for tests')
  await page.keyboard.press('Enter')
  await page.waitForURL((address) => address.pathname !== '/login')
  await open('/administrator/engine/actions?status=failure')
  await page.click('h3 a')
  await page.waitForURL(`**/actions/runs/${run.id}`)
  await holdAccessible()
  await page.focus('button:has-text("Run failed jobs again")')
  await page.keyboard.press('Enter')
  await page.waitForURL('**?done=rerun-failed-jobs')
  await holdAccessible()
  task = await fetched(client)
  await page.click('button:has-text("Cancel")')
  await page.waitForURL('**?done=cancel')
  assert.deepEqual(errors, [])
})

/** The lines of a file that stand out. */
const marked = (page: Page) =>
  page.locator('.source .marked').evaluateAll((lines) => lines.map(({ id }) => id))

/** A public repository with a branch more, a file with two commits, and a workflow that waits for a runner. */
async function fill(url: string) {
  const authorization = `Basic ${Buffer.from('administrator:a password for tests').toString('base64')}`
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    assert.ok(response.ok, `${method} ${path}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  const api = '/api/v1/repos/administrator/engine'
  const file = (path: string, text: string, more: object = {}) =>
    ask('sha' in more ? 'PUT' : 'POST', `${api}/contents/${path}`, {
      content: Buffer.from(text).toString('base64'),
      message: `Write ${path}`,
      ...more,
    })
  await ask('POST', '/api/v1/user/repos', {
    name: 'engine',
    auto_init: true,
    readme: 'Default',
    default_branch: 'main',
  })
  const source = `/* one\n two */\nexport const a = 'x' // ${'wide '.repeat(40)}\n\nlet b = 2\n`
  const made = await file('a.ts', source)
  const changed = await file('a.ts', `${source}b = a.length\n`, { sha: made.content.sha })
  await ask('POST', `${api}/branches`, { new_branch_name: 'feature' })
  await file(
    '.gitea/workflows/ci.yml',
    'on: push\njobs:\n  build: {runs-on: x, steps: [{name: Fit, run: fit}]}\n',
  )
  return { ask, commit: changed.commit.sha as string }
}

async function startedRunner(url: string, token: string) {
  const { runner } = await runnerClient(url, 'protobuf').register({
    name: 'r',
    token,
    labels: ['x'],
    version: 'v3.3.0',
  })
  assert.ok(runner)
  const headers = { 'x-runner-uuid': runner.uuid, 'x-runner-token': runner.token }
  const client = runnerClient(url, 'protobuf', headers)
  await client.declare({ version: 'v3.3.0', labels: ['x'], capabilities: ['cancelling'] })
  return client
}

/** The next task, once there is one. */
const fetched = (client: Awaited<ReturnType<typeof startedRunner>>) =>
  until('a task', async () => (await client.fetchTask({ tasksVersion: 0n })).task?.id)
