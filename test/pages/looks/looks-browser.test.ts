import assert from 'node:assert/strict'
import { get } from 'node:http'
import { test } from 'node:test'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { pageRoutes } from '../../../src/pages/routes.ts'
import { faultsOf, openChromium, skip } from '../../support/chromium.ts'
import { startEverything } from '../../support/forge/everything.ts'
import { samePassword } from '../../support/forge/make.ts'
import { browserHeaders, cookieOf, root } from '../browser.ts'
import { crawl, routeFinder } from '../crawl.ts'

/** How all kinds of pages look and what they weigh, as an administrator who owns everything sees them. */

const { url, call } = await startEverything()
const inRepo = { owner: 'ada', repo: 'code' }
const api = '/api/v1/repos/{owner}/{repo}'
await call(`POST ${api}/contents/{filepath...}`, {
  params: { ...inRepo, filepath: 'new.txt' },
  body: { content: Buffer.from('new\n').toString('base64'), new_branch: 'topic', message: 'New' },
})
await call(`POST ${api}/pulls`, { params: inRepo, body: { title: 'New', head: 'topic', base: 'main' } })
await call(`POST ${api}/pulls/{index}/reviews`, {
  params: { ...inRepo, index: 2 },
  body: { event: 'COMMENT', body: 'See', comments: [{ path: 'new.txt', new_position: 1, body: '- [ ] a' }] },
})
const cookie = await cookieOf(url, { user: 'ada', password: samePassword })

const pageOf = routeFinder(
  Object.values(pageRoutes).filter(
    ({ method, path }) => method === 'GET' && !/\{repo\}\/(?:raw|media|archive)\/|\/logs$/.test(path),
  ),
)
const starts = [
  ...['/', '/settings', '/-/admin', '/notifications', '/overview', '/overview/manage', '/explore/repos'],
  ...['/ada/code', '/ada/code/compare/main...topic', '/ada/code/blame/branch/main/README.md'],
  ...['/ada/code/find/branch/main', '/ada/code/search?q=code', '/ada/code/none', '/org/guild/members'],
  ...['/ada/code/actions/runs/1', '/repo/create', '/org/create'],
]

/** A page of each kind. */
async function kinds(): Promise<string[]> {
  const pages = await crawl(url, { cookie }, starts, (path) => pageOf(path)?.path)
  const found = new Map<string, string>()
  for (const path of pages.keys()) {
    const kind = pageOf(path.split('?')[0] ?? '')?.path ?? path
    if (!found.has(kind)) found.set(kind, path)
  }
  return [...found.values()]
}

const paths = await kinds()

interface Measured {
  /** Heights of fields of one line. */
  heights: number[]
  /** Sizes of type. */
  sizes: string[]
  /** How far the page is wider than the window. */
  beyond: number
  /** Heights of rows of lists, each with the beginning of its text. */
  rows: { height: number; text: string }[]
  /** Headings and forms that touch what is above them in their card. */
  crowded: string[]
}

/** What a page shows when all that opens is open. */
interface Opened {
  beyond: number
  /** Buttons that are wider than what they say. */
  stretched: string[]
}

/** Rows that are higher than a line, and why. */
const higher = {
  '[aria-labelledby="news"], [aria-labelledby="all"]': 'posts: the beginning of the text',
  '[aria-labelledby="programs"]': 'sentences',
  '.row:has([action*="/admin/mails/"])': 'mails: why one was not sent is read whole',
  '[aria-labelledby="tasks"]': 'tasks: what each does is read whole',
}

const measure = `((higher) => {
  const isSeen = (element) => element.checkVisibility() && element.getBoundingClientRect().height > 0
  const fields = [...document.querySelectorAll('input, select')].filter(
    (field) => isSeen(field) && !['checkbox', 'radio', 'file', 'hidden', 'color'].includes(field.type))
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '')
  const texts = [...document.querySelectorAll('body *:not(svg *, .line-form)')].filter((element) => hasText(element) && isSeen(element))
  return {
    heights: [...new Set(fields.map((field) => field.getBoundingClientRect().height))],
    sizes: [...new Set(texts.map((text) => getComputedStyle(text).fontSize))].filter((size) => size !== '0px'),
    beyond: document.documentElement.scrollWidth - innerWidth,
    rows: [...document.querySelectorAll('main .list > li')].filter((row) => isSeen(row) && !row.closest(higher)).map(
      (row) => ({ height: row.getBoundingClientRect().height, text: row.textContent.trim().slice(0, 40) })),
    crowded: [...document.querySelectorAll('.card > h3, .card > form:not(.inline)')].filter((part) => {
      const above = part.previousElementSibling
      return above && isSeen(above) && isSeen(part) &&
        part.getBoundingClientRect().top - above.getBoundingClientRect().bottom < 6
    }).map((part) => part.textContent.trim().slice(0, 40)),
  }
})(${JSON.stringify(Object.keys(higher).join())})`

const open = `(() => {
  for (const part of document.querySelectorAll('.ask')) part.open = true
  const widthOf = (content) => {
    const range = document.createRange()
    range.selectNodeContents(content)
    return range.getBoundingClientRect().width
  }
  return {
    beyond: document.documentElement.scrollWidth - innerWidth,
    stretched: [...document.querySelectorAll('.actions > .ask > summary')].filter(
      (button) => button.checkVisibility() && button.getBoundingClientRect().height < 50 &&
        button.getBoundingClientRect().width > widthOf(button) + 40,
    ).map((button) => button.textContent),
  }
})()`

/** A window whose requests, to the address of links, reach the server of this test; `asked` has their paths. */
async function windowOf(browser: Browser, options: BrowserContextOptions) {
  const context = await browser.newContext({ ...options, reducedMotion: 'reduce' })
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url: root }])
  const asked: string[] = []
  await context.route('**/*', async (route) => {
    const path = route.request().url().replace(root, '/')
    asked.push(path)
    const at = (to: string) => route.fetch({ url: url + to, maxRedirects: 0 })
    let response = await at(path)
    for (let to = response.headers().location; to !== undefined; to = response.headers().location)
      response = await at(to.replace(root, '/'))
    return route.fulfill({ response })
  })
  return { page: await context.newPage(), asked }
}

/** Bytes of the answers to these paths, compressed as browsers ask for it. */
async function weightOf(asked: readonly string[]): Promise<number> {
  let bytes = 0
  for (const path of asked)
    bytes += await new Promise<number>((resolve, reject) => {
      const headers = { cookie, ...browserHeaders, 'accept-encoding': 'br, gzip' }
      const request = get(url + path, { headers }, (response) => {
        let received = 0
        response.on('data', (chunk: Buffer) => {
          received += chunk.length
        })
        response.on('end', () => resolve(received))
      })
      request.on('error', reject)
    })
  return bytes
}

/** All sizes of type: those of the style sheet, and that of the text. */
const sizes = ['13px', '14px', '16px', '18.4px', '22.4px', '28px']
const bounds = { bytes: 45_000, requests: 9, row: 44 }

const windows = [
  { name: 'wide and light', control: 40, viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  // What a finger touches is higher.
  { name: 'a phone and dark', control: 44, viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
] as const

for (const { name, control, ...options } of windows)
  test(`pages of all kinds have six sizes of type, fields and rows of one height and no fault of accessibility: ${name}`, {
    skip,
  }, async (t) => {
    const { page, asked } = await windowOf(await openChromium(), options)
    const faults: string[] = []
    let heaviest = { path: '', bytes: 0 }
    let most = { path: '', requests: 0 }
    for (const path of paths) {
      asked.length = 0
      await page.goto(root + path.slice(1), { waitUntil: 'load' })
      const requests = asked.length
      const bytes = options.colorScheme === 'light' ? await weightOf([...new Set(asked)]) : 0
      const { heights, sizes: seen, beyond, rows, crowded } = (await page.evaluate(measure)) as Measured
      const odd = [
        ...heights
          .filter((height) => Math.abs(height - control) > 0.5)
          .map((height) => `a field of ${height}px`),
        ...rows
          .filter(({ height }) => control < bounds.row && Math.abs(height - bounds.row) > 1)
          .map(({ height, text }) => `a row of ${height}px: ${text}`),
        ...seen.filter((size) => !sizes.includes(size)).map((size) => `type of ${size}`),
        ...(beyond > 0 ? [`${beyond}px too wide`] : []),
        ...(requests > bounds.requests ? [`${requests} requests`] : []),
        ...(bytes > bounds.bytes ? [`${bytes} bytes`] : []),
        ...crowded.map((text) => `nothing above: ${text}`),
        ...(await faultsOf(page)),
      ]
      const opened = (await page.evaluate(open)) as Opened
      if (opened.beyond > 0) odd.push(`${opened.beyond}px too wide when all is open`)
      odd.push(...opened.stretched.map((text) => `a button wider than its text: ${text}`))
      faults.push(...odd.map((fault) => `${path}: ${fault}`))
      if (bytes > heaviest.bytes) heaviest = { path, bytes }
      if (requests > most.requests) most = { path, requests }
    }
    t.diagnostic(
      `${paths.length} pages; the heaviest is ${heaviest.path} with ${heaviest.bytes} bytes, and ${most.path} asks ${most.requests} times`,
    )
    assert.deepEqual(faults, [])
    assert.ok(paths.length > 120, `only ${paths.length} pages`)
  })

/** What paper cuts off, and what is of use on a screen only. */
const printed = `(() => {
  const isSeen = (element) => element.checkVisibility() && element.getBoundingClientRect().height > 0
  const isCut = (element) => element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1 &&
    getComputedStyle(element).display !== 'inline' && !element.matches('input, select, .hidden-words')
  const named = (element) => element.localName + '.' + element.className + ' ' + element.textContent.trim().slice(0, 40)
  return [
    ...[...document.querySelectorAll('main *')].filter((each) => isSeen(each) && isCut(each)).map((each) => 'cut: ' + named(each)),
    ...[...document.querySelectorAll('header, footer, nav, button:not(.task), a.button, textarea, .ask')].filter(isSeen).map(named),
  ]
})()`

test('pages of all kinds are read whole on paper, without what is pressed', { skip }, async () => {
  const { page } = await windowOf(await openChromium(), { viewport: { width: 720, height: 1000 } })
  await page.emulateMedia({ media: 'print' })
  const faults: string[] = []
  for (const path of paths) {
    await page.goto(root + path.slice(1))
    const found = (await page.evaluate(printed)) as string[]
    faults.push(...found.map((fault) => `${path}: ${fault}`))
  }
  assert.deepEqual(faults, [])
})
