import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientOf, holdAccessible, openTab, skip, startChromium } from '../../support/chromium.ts'

test('a change is proposed, talked about and merged in a browser, also without script', {
  skip,
}, async () => {
  const { browser, context, url } = await startChromium()
  const ask = clientOf(url)
  const api = '/api/v1/repos/administrator/engine'
  await ask('POST', '/api/v1/user/repos', { name: 'engine', auto_init: true })
  const content = Buffer.from('The governor turns.\n').toString('base64')
  const file = (branch: string, path: string) =>
    ask('POST', `${api}/contents/${path}`, {
      content,
      branch: 'main',
      new_branch: branch,
      message: `Add ${path}`,
    })
  await file('topic', 'governor.txt')
  await file('second', 'valve.txt')
  const { page, open, reach, signIn } = await openTab(context, url)

  await open('/login?next=/administrator/engine/pulls')
  await signIn()
  await holdAccessible(page)
  await page.click('text=New pull request')
  await page.selectOption('#head', 'topic')
  await holdAccessible(page)
  await page.click('button:text-is("Compare")')
  await reach('/administrator/engine/compare/main...topic?expand=1')
  await holdAccessible(page)
  assert.equal(await page.inputValue('#title'), 'Add governor.txt')
  await page.fill('#body', 'It **turns**.')
  await page.dblclick('button:text-is("Propose it")')
  await reach('/administrator/engine/pulls/1')
  await holdAccessible(page)
  assert.equal((await ask('GET', `${api}/pulls`)).length, 1)

  await page.fill('#body', 'Good.')
  await page.click('button:text-is("Comment")')
  await page.waitForSelector('article:has-text("Good.")')
  await ask('POST', `${api}/issues/1/comments`, { body: 'From elsewhere.' })
  await page.waitForSelector('#news:has-text("Something new has happened here.")')
  await holdAccessible(page)
  await page.click('text=Show it')
  await page.waitForSelector('article:has-text("From elsewhere.")')
  assert.equal(await page.locator('#news').textContent(), '')
  await page.click('button:text-is("Make it a draft")')
  await page.waitForSelector('.reasons:has-text("It is a draft")')
  await ask('POST', `${api}/pulls/1/reviews`, { event: 'COMMENT', body: 'See **line 1**.' })
  await open('/administrator/engine/pulls/1')
  await holdAccessible(page)
  await page.click('button:text-is("Ready for review")')
  await page.waitForSelector('h2:text-is("This can be merged")')
  await page.click('summary:has-text("Merge as one commit")')
  await holdAccessible(page)
  await page.dblclick('button:text-is("Create a merge commit")')
  await page.waitForSelector('h2:text-is("Merged")')
  await holdAccessible(page)
  assert.equal((await ask('GET', `${api}/pulls/1`)).merged, true)

  const options = { javaScriptEnabled: false, viewport: { width: 360, height: 740 } }
  const plain = await openTab(await browser.newContext(options), url)
  await plain.open('/login?next=/administrator/engine/compare/main...second')
  await plain.signIn()
  await plain.page.click('summary:has-text("Propose this change")')
  await plain.page.click('button:text-is("Propose it")')
  await plain.reach('/administrator/engine/pulls/2')
  await plain.page.check('#merge-delete')
  await plain.page.click('button:text-is("Create a merge commit")')
  await plain.page.waitForSelector('text=The branch second is deleted')
  assert.equal((await ask('GET', `${api}/pulls/2`)).merged, true)
})
