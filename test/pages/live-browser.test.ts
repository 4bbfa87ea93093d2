import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { skip, startChromium } from '../support/chromium.ts'
import { openProxy } from '../support/proxy.ts'

/** The server behind a line that can be cut, and a browser. */
async function start() {
  const { context, url } = await startChromium({ timezoneId: 'Asia/Tokyo' })
  const line = await openProxy(url)
  after(() => line.close())
  const publish = async (title: string) => {
    const response = await fetch(`${url}/api/news`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title, content: `about ${title}` }),
    })
    assert.equal(response.status, 201)
    const { id } = (await response.json()) as { id: number }
    return id
  }
  const open = async (): Promise<Page> => {
    const page = await context.newPage()
    await page.goto(`${line.url}/overview`)
    await page.waitForSelector('[data-state=open]')
    return page
  }
  return { line, publish, open, context, url }
}

const shows = (page: Page, title: string) => page.waitForSelector(`h3:has-text("${title}")`)
const waits = (page: Page) => page.waitForSelector('.live:has-text("Changes wait")')
const isLive = (page: Page) => page.waitForSelector('.live:has-text("appear by themselves")')

test('the overview is live in many tabs, and says so only while it is', { skip }, async () => {
  const { line, publish, open, context, url } = await start()
  await publish('zero')
  const first = await open()
  const tabs = [first]
  // A browser has six connections to a server over HTTP/1.1.
  for (let at = 0; at < 7; at++) tabs.push(await open())
  await publish('one')
  await Promise.all(tabs.map((tab) => shows(tab, 'one')))
  for (const tab of tabs.slice(2)) await tab.close()
  await publish('two')
  await shows(first, 'two')

  // A post that stays is the same node, and so is what is selected elsewhere on the page.
  await first.evaluate(`self.kept = document.querySelector('[data-section=news] li')`)
  await publish('three')
  await shows(first, 'three')
  assert.match(String(await first.evaluate('self.kept.isConnected && self.kept.textContent')), /two/)
  assert.equal(await first.locator('[data-section=news] li').count(), 4)

  // Times are those of the reader, with the whole moment beside them.
  const time = first.locator('[data-section=news] time').first()
  assert.match((await time.textContent()) ?? '', /^(just now|\d minutes? ago)$/)
  assert.match((await time.getAttribute('title')) ?? '', /^\d{1,2} \w{3} \d{4}, \d\d:\d\d GMT\+9$/)

  // What has the focus stays until it is left.
  await first.focus('h3 a:has-text("two")')
  await publish('four')
  await waits(first)
  assert.equal(await first.evaluate('document.activeElement.textContent'), 'two')
  assert.equal(await first.locator('h3:has-text("four")').count(), 0)
  await first.focus('.brand')
  await shows(first, 'four')
  await isLive(first)

  // So does what is selected.
  const select = `getSelection().selectAllChildren(document.querySelector('[data-section=news] p'))`
  await first.evaluate(select)
  const selected = await first.evaluate('getSelection().toString()')
  await publish('five')
  await waits(first)
  assert.equal(await first.evaluate('getSelection().toString()'), selected)
  await first.evaluate('getSelection().removeAllRanges()')
  await shows(first, 'five')

  // And what was opened.
  await first.click('[data-section=presence] summary')
  await publish('six')
  await shows(first, 'six')
  assert.equal(await first.locator('details[open]').count(), 1)
  await isLive(first)

  // A read that fails is told, and repeated.
  await first.route('**/overview', (route) => route.fulfill({ status: 500, body: 'no' }), { times: 1 })
  await publish('seven')
  await first.waitForSelector('.live:has-text("cannot be read")')
  await shows(first, 'seven')
  await isLive(first)

  // A stream that is lost is told, and comes back; what was published meanwhile is shown.
  await line.cut()
  await first.waitForSelector('[data-state=lost]')
  await publish('eight')
  await line.mend()
  await shows(first, 'eight')
  await isLive(first)

  // A hidden tab holds no stream; it catches up when it is seen again.
  const hide = (isHidden: boolean) =>
    first.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
document.dispatchEvent(new Event('visibilitychange'))`)
  for (const tab of tabs.slice(1, 2)) await tab.close()
  await hide(true)
  await publish('nine')
  assert.equal(await first.locator('h3:has-text("nine")').count(), 0)
  await hide(false)
  await shows(first, 'nine')

  // Without script the times are those of the server, and everything is there.
  const plain = await context.browser()?.newContext({ javaScriptEnabled: false })
  const page = await plain?.newPage()
  await page?.goto(`${url}/overview`)
  assert.match((await page?.locator('[data-section=news] time').first().textContent()) ?? '', /UTC$/)
})
