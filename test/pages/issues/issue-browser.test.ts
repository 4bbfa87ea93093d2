import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  clientOf,
  holdAccessible,
  openTab,
  pasteAndDrop,
  skip,
  startChromium,
} from '../../support/chromium.ts'

/** A picture of one pixel, in base64. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'

test('issues are opened, answered and planned in a browser, by keyboard, on a phone and without script', {
  skip,
}, async () => {
  const { browser, context, url } = await startChromium()
  const ask = clientOf(url)
  await ask('POST', '/api/v1/user/repos', { name: 'engine' })
  await ask('POST', '/api/v1/repos/administrator/engine/labels', { name: 'bug', color: '#ff0000' })
  const tab = await openTab(context, url)
  const { page, press, write, enter, reach, signIn } = tab

  await tab.open('/login?next=/administrator/engine/issues')
  await signIn()
  await enter('text=New issue')
  await reach('/administrator/engine/issues/new')
  await holdAccessible(page)
  // The cursor is in the title, and the text follows.
  await write('The governor sticks')
  await press('Tab')
  await write('It **sticks** at speed.')
  await page.click('button:has-text("Preview")')
  await page.waitForSelector('[aria-label=Preview] strong:has-text("sticks")')
  await holdAccessible(page)
  assert.equal(await page.inputValue('#title'), 'The governor sticks')
  await page.dblclick('button:has-text("Open the issue")')
  await reach('/administrator/engine/issues/1')
  await holdAccessible(page)
  assert.equal((await ask('GET', '/api/v1/repos/administrator/engine/issues')).length, 1)

  await page.fill('#body', 'Oil it.')
  await page.dblclick('button:text-is("Comment")')
  await reach('/administrator/engine/issues/1#answer')
  await page.waitForSelector('article:has-text("Oil it.")')
  assert.equal((await ask('GET', '/api/v1/repos/administrator/engine/issues/1/comments')).length, 1)
  await enter('[aria-label="Change the labels"]')
  await holdAccessible(page)
  await page.check('.facts [type=checkbox]')
  await page.click('dd:has([type=checkbox]:checked) button')
  await page.waitForSelector('text=gave the label')
  await page.click('#issue [aria-label="React to this"]')
  await holdAccessible(page)
  await page.click('#issue [value=rocket]')
  await page.waitForSelector('#issue [value=rocket][aria-pressed=true]')

  // Pictures that are pasted or dropped come with the form, and the text shows them.
  await page.fill('#body', 'Look:\n')
  await pasteAndDrop(page, '#body', { name: 'image.png', type: 'image/png', base64: pixel })
  assert.equal(
    await page.inputValue('#body'),
    'Look:\n![image.png](image.png)\n![image-2.png](image-2.png)\n',
  )
  await page.waitForSelector('.chosen-files li:has-text("image-2.png")')
  await page.click('button:has-text("Preview")')
  await page.waitForSelector('[aria-label=Preview]')
  await page.waitForSelector('.chosen-files li:has-text("image-2.png")')
  await page.click('button:text-is("Comment")')
  await page.waitForSelector('article img[alt="image-2.png"]')
  const widths = `Promise.all([...document.querySelectorAll('article img[alt^="image"]')].map((image) => image.decode().then(() => image.naturalWidth)))`
  assert.deepEqual(await page.evaluate(widths), [1, 1])
  await holdAccessible(page)

  // What somebody has written stays when the form is refused.
  await page.fill('#body', 'x'.repeat(65_537))
  await page.click('button:text-is("Comment")')
  await page.waitForSelector('#body-fault')
  await holdAccessible(page)
  assert.equal((await page.inputValue('#body')).length, 65_537)

  const options = { javaScriptEnabled: false, viewport: { width: 360, height: 740 } }
  const plain = await openTab(await browser.newContext(options), url)
  await plain.open('/login?next=/administrator/engine/issues/1')
  await plain.signIn()
  await plain.page.fill('#body', 'Done.')
  await plain.page.click('button:text-is("Close")')
  await plain.page.waitForSelector('text=closed this')
  const [issue] = await ask('GET', '/api/v1/repos/administrator/engine/issues?state=closed')
  assert.equal(issue.comments, 3)
})
