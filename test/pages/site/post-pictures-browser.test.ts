import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdAccessible, openTab, pasteAndDrop, skip, startChromium } from '../../support/chromium.ts'
import { dotPicture } from '../../support/forge/pictures.ts'

test('pictures that are dropped on a post, pasted into it or chosen come with it', { skip }, async () => {
  const { browser, context, url } = await startChromium()
  const { page, open, signIn, errors } = await openTab(context, url)
  const path = '/overview/manage/posts/new'
  await open(`/login?next=${path}`)
  await signIn()
  await page.fill('#title', 'Moved in')
  await pasteAndDrop(page, '#content', { name: 'us.gif', type: 'image/gif', base64: dotPicture.base64 })
  assert.equal(await page.inputValue('#content'), '![us.gif](us.gif)\n![us-2.gif](us-2.gif)\n')
  await holdAccessible(page)
  await page.click('button:text-is("Preview")')
  await page.waitForSelector('text=Preview: nothing is published yet')
  await page.waitForSelector('.chosen-files li:has-text("us-2.gif")')
  await page.click('button:text-is("Publish")')
  await page.click('main a:text-is("Moved in")')
  await page.waitForSelector('article img[alt="us-2.gif"]')
  const widths = `Promise.all([...document.querySelectorAll('article img')].map((image) => image.decode().then(() => image.naturalWidth)))`
  assert.deepEqual(await page.evaluate(widths), [1, 1])
  // The preview names pictures that are not sent yet.
  assert.deepEqual(
    errors.filter((each) => !each.includes('404')),
    [],
  )

  // Without script the field sends them, too.
  const { cookies } = await context.storageState()
  const plain = await browser.newContext({ javaScriptEnabled: false })
  await plain.addCookies(cookies)
  const other = await plain.newPage()
  await other.goto(url + path)
  await other.fill('#title', 'Without script')
  await other.fill('#content', '![us](us.gif)')
  await other.setInputFiles('#files', { name: 'us.gif', mimeType: 'image/gif', buffer: dotPicture.bytes })
  await other.click('button:text-is("Publish")')
  await other.click('main a:text-is("Without script")')
  await other.waitForSelector('article img[alt="us"]')
})
