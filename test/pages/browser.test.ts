import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { serveHome } from '../support/binary.ts'

/** Debian's name and others'. */
const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)
const skip = chromium === undefined && 'no Chromium is installed: apt-get install chromium'

// They find their own files beside themselves: not to be bundled.
const load = createRequire(resolve('package.json'))

test('pages work in a browser without another host, without errors and without faults of accessibility', {
  skip,
}, async () => {
  const playwright: typeof import('playwright-core') = load('playwright-core')
  const axe = await readFile(load.resolve('axe-core/axe.min.js'), 'utf8')
  const browser = await playwright.chromium.launch({ executablePath: chromium ?? '', args: ['--no-sandbox'] })
  after(() => browser.close())
  const { serving: server } = await serveHome()
  const context = await browser.newContext()
  const errors: string[] = []
  const elsewhere: string[] = []
  await context.route('**/*', (route) => {
    if (route.request().url().startsWith(server.url)) return route.continue()
    elsewhere.push(route.request().url())
    return route.abort()
  })
  const open = async (path: string): Promise<Page> => {
    const page = await context.newPage()
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    page.on('pageerror', (error) => errors.push(error.message))
    await page.goto(server.url + path)
    return page
  }
  const holdAccessible = async (page: Page) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      // While a colour changes slowly, its contrast is not what people read.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.evaluate(axe)
      const faults = await page.evaluate(
        `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes.map((node) => node.html)))`,
      )
      assert.deepEqual(faults, [], `${page.url()} ${colorScheme}`)
    }
  }

  const overview = await open('/overview')
  await overview.waitForSelector('[data-state=open]')
  const page = await open('/')
  await holdAccessible(page)
  // With the keyboard alone, from here to the overview: past the link to the content, the name, four entries and the search.
  for (let tabs = 0; tabs < 8; tabs++) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${server.url}/login?next=/overview/manage/posts/new`)
  await holdAccessible(page)
  await page.keyboard.type('administrator')
  await page.keyboard.press('Tab')
  await page.keyboard.type('a password for tests')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${server.url}/overview/manage/posts/new`)
  await holdAccessible(page)
  await page.keyboard.type('Written <b>by hand</b>')
  await page.keyboard.press('Enter')
  // Without a text the browser sends nothing, and leads there.
  await page.keyboard.type('Seen in another window at once')
  await page.locator('button[value=publish]').press('Enter')
  await page.waitForURL('**/overview/manage?done=published&id=*')
  await holdAccessible(page)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${server.url}/overview/news/*`)
  await overview.waitForSelector('h3:has-text("Written <b>by hand</b>")')
  await holdAccessible(overview)
  const reference = await open('/api/swagger?api=site')
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
  const pages = ['/', '/administrator', '/api/swagger', ...lists, ...(await privatePages(server.url))]
  for (const path of pages) {
    const shown = await open(path)
    if (path === '/api/swagger') await shown.waitForSelector('.opblock-tag')
    await holdAccessible(shown)
    await shown.setViewportSize({ width: 360, height: 640 })
    const width = await shown.evaluate('document.documentElement.scrollWidth')
    assert.equal(width, 360, `${path} needs no sideways scrolling on a phone`)
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
