import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { clientOf, holdAccessible, openTab, skip, startChromium } from '../support/chromium.ts'
import { rows } from '../support/forge/actions.ts'
import { failure, nextTask, startedRunner } from '../support/forge/runs.ts'

test('code and runs are read in a browser, by keyboard and on a phone, without faults of accessibility', {
  skip,
}, async () => {
  const { browser, context, url } = await startChromium({
    permissions: ['clipboard-read', 'clipboard-write'],
    timezoneId: 'Asia/Tokyo',
  })
  const { ask, commit } = await fill(url)
  const tab = await openTab(context, url)
  const { page, errors, press, write, enter, reach, signIn } = tab
  const open = async (path: string) => {
    await tab.open(path)
    await holdAccessible(page)
  }

  await open('/administrator/engine')
  await page.click('button[data-copy]')
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), `${url}/administrator/engine.git`)
  await enter('.refs summary')
  await holdAccessible(page)
  await press('Tab')
  await write('fea')
  await press('Enter')
  await reach('/administrator/engine/src/branch/main?find=fea')
  await page.click('.refs a:has-text("feature")')
  await reach('/administrator/engine/src/branch/feature')

  // Times of files and commits are those of the reader.
  for (const path of ['', '/commits/branch/main']) {
    await open(`/administrator/engine${path}`)
    const time = page.locator('main time').first()
    assert.match((await time.textContent()) ?? '', /^(just now|\d minutes? ago)$/)
    assert.match((await time.getAttribute('title')) ?? '', /GMT\+9$/)
  }

  await open('/administrator/engine/src/branch/main/a.ts#L2-L4')
  assert.deepEqual(await marked(page), ['L2', 'L3', 'L4'])
  await tab.open('/administrator/engine/src/branch/main/a.ts#L3')
  await page.click('a[href="#L5"]', { modifiers: ['Shift'] })
  await reach('/administrator/engine/src/branch/main/a.ts#L3-L5')
  assert.deepEqual(await marked(page), ['L3', 'L4', 'L5'])
  await page.click('a:has-text("History")')
  await reach('/administrator/engine/commits/branch/main/a.ts')
  await holdAccessible(page)
  await tab.open('/administrator/engine/commits/branch/main')
  await page.fill('#q', 'write A.TS')
  await press('Enter')
  await reach('/administrator/engine/commits/branch/main/search?q=write+A.TS')
  await holdAccessible(page)
  await open('/administrator/engine/src/branch/main/a.ts')
  await page.click('a:has-text("Blame")')
  await reach('/administrator/engine/blame/branch/main/a.ts')
  await page.click('a[href="#L2"]')
  await page.click('a[href="#L4"]', { modifiers: ['Shift'] })
  assert.deepEqual(await marked(page), ['L2', 'L3', 'L4'])
  await holdAccessible(page)
  await page.click('[aria-label^="Blame before"]')
  await page.waitForURL('**/blame/commit/*/a.ts')
  await open('/administrator/engine')
  await page.fill('.code-tools [type=search]', 'LENGTH')
  await press('Enter')
  await page.waitForSelector('mark:has-text("length")')
  await holdAccessible(page)
  await page.click('.source a')
  await page.waitForURL('**/src/branch/main/a.ts?plain=1#L5')
  await tab.open('/administrator/engine')
  await press('t')
  await reach('/administrator/engine/find/branch/main')
  await write('CI.yml')
  await press('Enter')
  await page.waitForURL('**/find/branch/main?q=CI.yml')
  await holdAccessible(page)
  await page.click('main .list a')
  await reach('/administrator/engine/src/branch/main/.gitea/workflows/ci.yml')
  await open(`/administrator/engine/commit/${commit}`)

  // An issue is found by a word of a comment on it.
  await tab.open('/administrator/engine')
  await enter('nav >> text=Issues')
  await page.waitForSelector('h2:has-text("3 issues")')
  await page.focus('main [type=search]')
  await write('governor')
  await press('Enter')
  await page.waitForSelector('h2:has-text("1 issue")')
  await holdAccessible(page)
  await enter('h3 a')
  await reach('/administrator/engine/issues/2')
  await holdAccessible(page)

  const { token } = await ask('POST', '/api/v1/admin/actions/runners/registration-token')
  const client = await startedRunner(url, token, ['x'])
  let task = await nextTask(client)
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
  // Whoever comes later finds what failed: the list of runs, the run, and the step with its error in view.
  await tab.open('/administrator/engine')
  await enter('nav >> text=Actions')
  await reach('/administrator/engine/actions')
  await enter('h3 a')
  await reach(`/administrator/engine/actions/runs/${run.id}`)
  await enter('text=Failed in >> a')
  await reach(`/administrator/engine/actions/runs/${run.id}/jobs/${job.id}#step-0`)
  await holdAccessible(page)
  await page.reload()
  assert.ok(
    await page.locator('.log-error').evaluate((error) => {
      const { top, bottom } = error.getBoundingClientRect()
      return top >= 0 && bottom <= innerHeight
    }),
    'the error is in view',
  )

  await tab.open('/login')
  await signIn()
  await open('/administrator/engine/actions?status=failure')
  await page.click('h3 a')
  await reach(`/administrator/engine/actions/runs/${run.id}`)
  await holdAccessible(page)
  await enter('button:has-text("Run failed jobs again")')
  await reach(`/administrator/engine/actions/runs/${run.id}?done=rerun-failed-jobs`)
  await holdAccessible(page)
  await enter('#facts a:text-is("1")')
  await reach(`/administrator/engine/actions/runs/${run.id}/attempts/1`)
  await holdAccessible(page)
  await page.goBack()
  task = await nextTask(client)
  await page.click('button:has-text("Cancel")')
  await reach(`/administrator/engine/actions/runs/${run.id}?done=cancel`)
  await holdPrintable(page, `${url}/administrator/engine/src/branch/main/a.ts`)
  await page.emulateMedia({ media: null })

  // Without script all of it is there as well, and whoever is not signed in reads what is public.
  const plain = await openTab(await browser.newContext({ javaScriptEnabled: false }), url, errors)
  await plain.open('/administrator/engine')
  assert.equal(await plain.page.locator('button[data-copy]').isVisible(), false)
  await plain.enter('nav >> text=Actions')
  await plain.enter('h3 a')
  await plain.enter('#facts a:text-is("1")')
  await plain.reach(`/administrator/engine/actions/runs/${run.id}/attempts/1`)
  await plain.enter('text=Failed in >> a')
  await plain.page.waitForSelector('.step[open] .log-error:has-text("It does not fit")')
  await plain.open('/login?next=/administrator/engine/issues')
  await plain.signIn()
  await plain.page.fill('main [type=search]', 'governor')
  await plain.press('Enter')
  await plain.page.waitForSelector('h2:has-text("1 issue")')
  assert.deepEqual(errors, [])
})

/** Fails if a line of a file is cut on paper, or what is of use on a screen only is printed. */
async function holdPrintable(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.emulateMedia({ media: 'print' })
  await page.setViewportSize({ width: 720, height: 1000 })
  const wide = await page.evaluate(
    `[...document.querySelectorAll('main *')].filter((each) => each.scrollWidth > each.clientWidth && each.clientWidth > 0 && getComputedStyle(each).display !== 'inline').length`,
  )
  assert.equal(wide, 0, 'nothing is cut')
  for (const part of ['.top', '.bottom', '.skip', 'main nav'])
    for (const each of await page.locator(part).all()) assert.equal(await each.isVisible(), false, part)
  assert.ok(await page.locator('#L3').isVisible())
}

/** The lines of a file that stand out. */
const marked = (page: Page) =>
  page.locator('.source .marked').evaluateAll((lines) => lines.map(({ id }) => id))

/** A public repository with a branch more, a file with two commits, and a workflow that waits for a runner. */
async function fill(url: string) {
  const ask = clientOf(url)
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
  for (const [title, body] of [
    ['It leaks', 'Where the pipe bends'],
    ['It stops', 'Nobody knows why'],
    ['Add a whistle', ''],
  ])
    await ask('POST', `${api}/issues`, { title, body })
  await ask('POST', `${api}/issues/2/comments`, { body: 'Look at the governor' })
  await file(
    '.gitea/workflows/ci.yml',
    'on: push\njobs:\n  build: {runs-on: x, steps: [{name: Fit, run: fit}]}\n',
  )
  return { ask, commit: changed.commit.sha as string }
}
