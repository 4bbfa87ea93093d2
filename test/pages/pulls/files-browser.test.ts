import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  administrator,
  clientOf,
  holdAccessible,
  openTab,
  skip,
  startChromium,
} from '../../support/chromium.ts'

test('a pull request is reviewed in a browser, with and without script, without faults of accessibility', {
  skip,
}, async () => {
  const { browser, context, url } = await startChromium()
  const path = await fill(url)
  const tab = await openTab(context, url)
  const { page, errors, write } = tab
  await tab.open(`/login?next=${path}/files`)
  await tab.signIn()
  await holdAccessible(page)

  // The form opens below its line, and the page stays.
  await page.hover('.diff > .added')
  await page.click('.diff > .added > button')
  await page.waitForSelector('#line-form textarea:focus')
  assert.equal(await page.evaluate('location.pathname + location.search'), `${path}/files`)
  await holdAccessible(page)
  await write('Why **ten**?')
  // Another line does not take the text away.
  await page.hover('.diff > .removed')
  await page.click('.diff > .removed > button')
  assert.equal(await page.locator('#line-form textarea').inputValue(), 'Why **ten**?')
  await page.click('#line-form button:has-text("Begin a review")')
  await page.waitForSelector('.thread strong:has-text("ten")')
  await holdAccessible(page)
  await page.fill('#review-body', 'Read')
  await page.click('#review button:has-text("Comment")')
  await page.waitForSelector('.thread summary:has-text("Reply")')
  await page.click('.thread button:has-text("Resolve")')
  await page.waitForSelector('.thread summary:has-text("Resolved by")')
  for (const shown of ['', '/commits']) {
    await tab.open(path + shown)
    await holdAccessible(page)
  }

  const plain = await openTab(await browser.newContext({ javaScriptEnabled: false }), url, errors)
  await plain.open(`/login?next=${path}/files`)
  await plain.signIn(administrator)
  await plain.page.hover('.diff > .removed')
  await plain.page.click('.diff > .removed > button')
  await plain.page.fill('#line-form textarea', 'And why not?')
  await plain.page.click('#line-form button:text-is("Comment")')
  await plain.page.waitForSelector('.thread:has-text("And why not?")')
  assert.deepEqual(errors, [])
})

/** Opens a pull request that changes a line; gives the path of its page. */
async function fill(url: string): Promise<string> {
  const ask = clientOf(url)
  await ask('POST', '/api/v1/user/repos', { name: 'engine', auto_init: true })
  const repo = '/api/v1/repos/administrator/engine'
  const write = (content: string, change: object) =>
    ask('POST', `${repo}/contents`, {
      files: [{ path: 'src/a.ts', content: Buffer.from(content).toString('base64'), ...change }],
      message: 'Write',
      branch: 'main',
      ...change,
    })
  const text = Array.from({ length: 30 }, (_, at) => `export const line${at} = ${at}\n`).join('')
  await write(text, { operation: 'create' })
  const { sha } = await ask('GET', `${repo}/contents/src/a.ts`)
  await write(text.replace('line9 = 9', 'line9 = 10'), { operation: 'update', sha, new_branch: 'topic' })
  const { number } = await ask('POST', `${repo}/pulls`, {
    head: 'topic',
    base: 'main',
    title: 'Count to ten',
  })
  return `/administrator/engine/pulls/${number}`
}
