import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientOf, holdAccessible, openTab, skip, startChromium } from '../support/chromium.ts'
import { until } from '../support/wait.ts'

/** Every section, and the pages that create something. */
const paths = [
  '',
  ...[
    'users',
    'organizations',
    'emails',
    'runners',
    'tasks',
    'webhooks',
    'runs',
    'jobs',
    'storage',
    'packages',
  ],
  ...['unadopted', 'badges', 'audit', 'sessions', 'variables', 'users/administrator', 'users/ada/delete'],
  ...['new/user', 'new/organization', 'new/webhook'],
].map((name) => `/-/admin/${name}`)

test('administrators do their tasks by keyboard, on pages without faults of accessibility', {
  skip,
}, async () => {
  const { context, url } = await startChromium()
  const { page, errors, open, press, write, enter, reach, holdFocus, signIn } = await openTab(context, url)
  for (let number = 1; number <= 25; number++)
    await fetch(`${url}/api/stats/session/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: `ghost ${number}` }),
    })

  await open('/-/admin/new/user')
  await signIn()
  await reach('/-/admin/new/user')
  // The cursor is in the first field.
  await write('ada')
  await press('Tab', 'Tab')
  await write('ada@example.com')
  await press('Tab')
  await write('an unusual passphrase 1')
  await press('Enter')
  await reach('/-/admin/users/ada?done=created')
  await holdFocus('The user was created.')

  await open('/-/admin/sessions')
  await enter('[aria-label="End the session of ghost 1"]')
  await enter('.ask[open] button')
  await reach('/-/admin/sessions?done=1')
  await holdFocus('One session was ended.')
  assert.equal(await page.locator('bdi', { hasText: /^ghost 1$/ }).count(), 0)

  await open('/-/admin/runners')
  await enter('text=Replace the token')
  await enter('.ask[open] button')
  await reach('/-/admin/runners?done=replaced')

  await open('/-/admin/tasks')
  await enter('[aria-label="Start now: cleanup_packages"]')
  await reach('/-/admin/tasks?done=cleanup_packages')

  // A webhook is created, and what could not be delivered is sent again.
  const ask = clientOf(url)
  await ask('POST', '/api/v1/user/repos', { name: 'engine', auto_init: true })
  await open('/-/admin/webhooks')
  await enter('text=Create a webhook')
  await reach('/-/admin/new/webhook')
  await page.focus('#url')
  await write('https://receiver.example/hook')
  await press('Enter')
  await reach('/-/admin/webhooks?type=system&done=created')
  await enter('main h3 a')
  await reach('/-/admin/webhooks/*')
  const hook = new URL(page.url()).pathname
  const file = { content: Buffer.from('x').toString('base64'), message: 'Write a file' }
  await ask('POST', '/api/v1/repos/administrator/engine/contents/a.txt', file)
  await until('the push is delivered', async () => {
    await open(hook)
    return (await page.locator('h3 a:has-text("push")').count()) > 0
  })
  await enter('h3 a:has-text("push")')
  await reach(`${hook}/deliveries/*`)
  await holdAccessible(page)
  await enter('text=Deliver once more')
  await reach(`${hook}?done=repeated`)
  assert.equal(await page.locator('h3 a:has-text("push")').count(), 2)
  await holdAccessible(page)

  await open('/-/admin/variables')
  await page.focus('#name')
  await write('region')
  await press('Tab')
  await write('north')
  await enter('text=Create the variable')
  await reach('/-/admin/variables?done=created')
  await enter('text=REGION')
  await reach('/-/admin/variables/REGION')
  await holdAccessible(page)

  for (const path of paths) {
    await open(path)
    await holdAccessible(page)
  }
  assert.deepEqual(errors, [])
})
