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

test('keys reach what a page names, close menus, and can be turned off', { skip }, async () => {
  const { context, url } = await startChromium()
  const { page, errors, open, press, reach, holdFocus, signIn } = await openTab(context, url)
  await open('/login')
  await signIn()
  await reach('/')
  const { user } = administrator
  const close = async () => {
    await press('Escape')
    await page.waitForSelector('dialog', { state: 'detached' })
  }
  const client = clientOf(url)
  await client('POST', '/api/v1/user/repos', { name: 'engine', auto_init: true })
  for (const title of ['first', 'second'])
    await client('POST', `/api/v1/repos/${user}/engine/issues`, { title })

  await open(`/${user}/engine/issues`)
  await press('j', 'j')
  await holdFocus('first')
  await press('k')
  await holdFocus('second')
  await press('s')
  await holdFocus('q')
  await press('?', 'n')
  assert.equal(await page.inputValue('[name=q]'), '?n')

  await page.click('.menu-name')
  await page.click('.filter summary')
  assert.equal(await page.locator('details[open]').count(), 1)
  await press('Escape')
  assert.equal(await page.locator('details[open]').count(), 0)
  await page.click('.menu-name')
  await page.click('h2')
  assert.equal(await page.locator('details[open]').count(), 0)

  await press('?')
  assert.equal(
    await page
      .locator('dialog kbd')
      .allTextContents()
      .then((keys) => keys.join(' ')),
    's n j k ?',
  )
  await holdAccessible(page)
  await page.uncheck('dialog input')
  await close()
  await press('n')
  await reach(`/${user}/engine/issues`)
  await press('?')
  await page.check('dialog input')
  await close()
  await press('n')
  await reach(`/${user}/engine/issues/new`)
  assert.deepEqual(errors, [])
})

test('on a phone the mark and the menu of who is signed in share a row, however long the name is', {
  skip,
}, async () => {
  const { context, url } = await startChromium({ viewport: { width: 360, height: 740 } })
  const { page, open, reach, signIn } = await openTab(context, url)
  await open('/login')
  await signIn()
  await reach('/')
  const rows = `(() => {
    document.querySelector('.menu-person').textContent = 'n'.repeat(40)
    const middles = [...document.querySelectorAll('.brand, .menu')].map((each) => each.getBoundingClientRect())
    return [...middles.map(({ top, bottom }) => Math.round((top + bottom) / 20)), document.documentElement.scrollWidth]
  })()`
  const [mark, menu, width] = await page.evaluate<number[]>(rows)
  assert.deepEqual([menu, width], [mark, 360])
})
