import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { clientOf, holdAccessible, openTab, skip, startChromium } from '../support/chromium.ts'

test('pages work in a browser without another host, without errors and without faults of accessibility', {
  skip,
}, async () => {
  const { context, url } = await startChromium()
  const errors: string[] = []
  const elsewhere: string[] = []
  await context.route('**/*', (route) => {
    if (route.request().url().startsWith(url)) return route.continue()
    elsewhere.push(route.request().url())
    return route.abort()
  })
  const open = async (path: string) => {
    const tab = await openTab(context, url, errors)
    await tab.open(path)
    return tab.page
  }

  const overview = await open('/overview')
  await overview.waitForSelector('[data-state=open]')
  const tab = await openTab(context, url, errors)
  const { page, press, write, reach, signIn } = tab
  await tab.open('/')
  await holdAccessible(page)
  // With the keyboard alone, from here to the overview: past the link to the content, the name, four entries and the search.
  await press(...Array.from({ length: 8 }, () => 'Tab'), 'Enter')
  await reach('/login?next=/overview/manage/posts/new')
  await holdAccessible(page)
  await signIn()
  await reach('/overview/manage/posts/new')
  await holdAccessible(page)
  await write('Written <b>by hand</b>')
  await press('Enter')
  // Without a text the browser sends nothing, and leads there.
  await write('Seen in another window at once')
  await page.locator('button[value=publish]').press('Enter')
  await reach('/overview/manage?done=published&id=*')
  await holdAccessible(page)
  await press('Enter')
  await reach('/overview/news/*')
  await overview.waitForSelector('h3:has-text("Written <b>by hand</b>")')
  await holdAccessible(overview)
  const reference = await open('/api/swagger?api=site')
  await reference.waitForSelector('.opblock-tag')
  await reference.fill('#search', 'no such operation')
  await reference.waitForSelector('[role=status] h3:text-is("No operation has all these words.")')
  await holdAccessible(reference)
  await reference.fill('#search', '')
  await find(reference, 'publish news', '#operations-news-createNews')
  assert.equal(await tryIt(reference), '201')
  await overview.waitForSelector('h3:has-text("The doors are open")')
  await overview.click('h3 a:has-text("The doors are open")')
  await overview.waitForSelector('h1:has-text("The doors are open")')
  await holdAccessible(overview)
  const forge = await open('/api/swagger')
  await forge.click('.btn.authorize')
  const basic = forge.locator('.auth-container', { hasText: 'BasicAuth' })
  await basic.locator('[name=username]').fill('administrator')
  await basic.locator('[name=password]').fill('a password for tests')
  await basic.locator('button.authorize').click()
  await forge.click('.close-modal')
  await find(forge, 'usergetcurrent', '#operations-user-userGetCurrent')
  assert.equal(await tryIt(forge), '200')
  const lists = ['repos?q=engine', 'organizations', 'users', 'packages'].map((list) => `/explore/${list}`)
  const pages = ['/', '/administrator', '/api/swagger', ...lists, ...(await privatePages(url))]
  for (const path of pages) {
    await tab.open(path)
    if (path === '/api/swagger') await page.waitForSelector('.opblock-tag')
    await holdAccessible(page)
  }
  assert.deepEqual(errors, [])
  assert.deepEqual(elsewhere, [])
})

/** Opens an operation of the reference page by words that only it has. */
async function find(reference: Page, words: string, operation: string): Promise<void> {
  await reference.waitForSelector('.opblock-tag')
  await reference.fill('#search', words)
  await reference.click(`${operation} .opblock-summary-control`)
}

/** Sends the open operation as it is suggested; gives the status of the answer. */
async function tryIt(reference: Page): Promise<string | undefined> {
  await reference.click('.try-out__btn')
  await reference.click('.execute')
  const status = reference.locator('.live-responses-table tbody .response-col_status').first()
  return (await status.textContent())?.trim().slice(0, 3)
}

/** Fills a private repository by the API; gives the pages about it, which only the session of the browser opens. */
async function privatePages(url: string): Promise<string[]> {
  const ask = clientOf(url)
  const repo = '/administrator/engine'
  const api = `/api/v1/repos${repo}`
  const draft = {
    name: 'engine',
    private: true,
    auto_init: true,
    readme: 'Default',
    license: 'MIT',
    default_branch: 'main',
  }
  await ask('POST', '/api/v1/user/repos', draft)
  const { sha } = await ask('GET', `${api}/commits/main/status`)
  await ask('POST', `${api}/statuses/${sha}`, { state: 'failure', context: 'lint' })
  const label = { name: 'bug', color: '#ee0701' }
  const { id } = await ask('POST', `${api}/labels`, label)
  await ask('POST', `${api}/issues`, {
    title: 'It leaks',
    body: `\`code\`, **bold**\n\n- [ ] find it\n- [x] report it\n\n\`\`\`js\nconst a = 1 // ${'wide '.repeat(50)}\n\`\`\``,
    labels: [id],
  })
  for (const body of ['One', 'Two']) await ask('POST', `${api}/issues/1/comments`, { body })
  await ask('POST', `${api}/issues/1/reactions`, { content: 'heart' })
  await ask('PUT', '/api/packages/administrator/generic/tool/1.0/tool.bin', {})
  return [
    repo,
    '/overview/news',
    '/overview/media',
    '/overview/news/1',
    `${repo}/issues`,
    `${repo}/actions`,
    '/administrator/-/packages',
    `${repo}/src/branch/main/LICENSE`,
    `${repo}/commit/${sha}`,
    `${repo}/issues/1`,
    '/administrator/-/packages/generic/tool/1.0',
  ]
}
