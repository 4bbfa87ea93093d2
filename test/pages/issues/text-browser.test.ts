import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientOf, holdAccessible, openTab, skip, startChromium } from '../../support/chromium.ts'

test('a half-written text stays when its page is loaded again, until it is sent or its author signs out', {
  skip,
}, async () => {
  const { context, url } = await startChromium()
  const ask = clientOf(url)
  await ask('POST', '/api/v1/user/repos', { name: 'boiler' })
  await ask('POST', '/api/v1/repos/administrator/boiler/issues', { title: 'It leaks' })
  const { page, open, signIn, errors } = await openTab(context, url)
  const path = '/administrator/boiler/issues/1'
  const text = () => page.inputValue('#body')
  await open(`/login?next=${path}`)
  await signIn()
  await page.fill('#body', 'Half of')
  await page.reload()
  assert.equal(await text(), 'Half of')
  await page.click('button:text-is("Comment")')
  await page.waitForSelector('article:has-text("Half of")')
  await page.reload()
  assert.equal(await text(), '')
  await page.fill('#body', 'Another half')
  await page.click('.menu-name')
  await page.click('button:text-is("Sign out")')
  await page.waitForSelector('header a:text-is("Sign in")')
  await open(`/login?next=${path}`)
  await signIn()
  assert.equal(await text(), '')
  assert.deepEqual(errors, [])
})

test('names and numbers are completed by keyboard and mouse, and tasks ticked, with and without script', {
  skip,
}, async () => {
  const { browser, context, url } = await startChromium()
  const ask = clientOf(url)
  await ask('POST', '/api/v1/user/repos', { name: 'engine' })
  for (const username of ['grace', 'gregor'])
    await ask('POST', '/api/v1/admin/users', {
      username,
      email: `${username}@example.com`,
      password: 'a long password',
      full_name: `${username} Hopper`,
    })
  const issues = '/api/v1/repos/administrator/engine/issues'
  const body = '- [ ] oil\n  - [x] buy\n\n```\n- [ ] code\n```'
  for (const title of ['It leaks', 'The valve sticks']) await ask('POST', issues, { title, body })
  const { page, press, write, open, signIn, errors } = await openTab(context, url)
  const text = () => page.inputValue('#body')
  const active = () =>
    page.evaluate(
      `document.getElementById(document.querySelector('#body').getAttribute('aria-activedescendant') ?? '')?.textContent`,
    )

  await open('/login?next=/administrator/engine/issues/1')
  await signIn()
  await page.focus('#body')
  await write('Ask @gr')
  await page.waitForSelector('[role=option] >> text=@gregor')
  assert.equal(await active(), '@grace grace Hopper')
  await holdAccessible(page)
  await press('ArrowDown')
  assert.equal(await active(), '@gregor gregor Hopper')
  await press('ArrowUp', 'ArrowUp')
  assert.equal(await active(), '@gregor gregor Hopper')
  await press('Enter')
  assert.equal(await text(), 'Ask @gregor ')
  await write('about #val')
  await page.click('[role=option]:has-text("The valve sticks")')
  assert.equal(await text(), 'Ask @gregor about #2 ')
  await write('not me@gr')
  assert.equal(await page.locator('[role=option]').count(), 0)
  await write(' @gra')
  await page.waitForSelector('[role=option]')
  await press('Escape', 'Enter')
  assert.equal(await text(), 'Ask @gregor about #2 not me@gr @gra\n')
  // What is whole already is not replaced by the key that ends it.
  await write('#1')
  await page.waitForSelector('[role=option]')
  assert.equal(await active(), undefined)
  await press('Enter')
  assert.equal(await text(), 'Ask @gregor about #2 not me@gr @gra\n#1\n')

  const boxes = page.locator('#issue [role=checkbox]')
  assert.equal(await boxes.count(), 2)
  await boxes.first().focus()
  await press('Space')
  await page.waitForSelector('#issue [role=checkbox][aria-checked=true] >> nth=1')
  assert.equal((await ask('GET', `${issues}/1`)).body, body.replace('[ ]', '[x]'))
  await holdAccessible(page)
  assert.deepEqual(errors, [])

  const plain = await openTab(await browser.newContext({ javaScriptEnabled: false }), url)
  await plain.open('/login?next=/administrator/engine/issues/1')
  await plain.signIn()
  await plain.page.locator('#issue [role=checkbox]').nth(1).click()
  await plain.page.waitForSelector('#issue [role=checkbox][aria-checked=false]')
  assert.equal(
    (await ask('GET', `${issues}/1`)).body,
    body.replace('[ ] oil', '[x] oil').replace('[x] buy', '[ ] buy'),
  )
  await plain.page.fill('#body', 'Ask @grace about #2')
  await plain.page.click('button:text-is("Comment")')
  await plain.page.waitForSelector('article a:text-is("@grace")')
})
