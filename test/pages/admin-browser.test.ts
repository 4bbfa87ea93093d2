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
const load = createRequire(resolve('package.json'))

/** Every section, and the pages that create something. */
const paths = [
  '',
  ...['users', 'organizations', 'emails', 'runners', 'tasks', 'webhooks', 'runs', 'jobs', 'packages'],
  ...['unadopted', 'badges', 'audit', 'sessions', 'users/administrator', 'users/ada/delete'],
  ...['new/user', 'new/organization', 'new/webhook'],
].map((name) => `/-/admin/${name}`)

test('administrators do their tasks by keyboard, on pages without faults of accessibility', {
  skip,
}, async () => {
  const playwright: typeof import('playwright-core') = load('playwright-core')
  const axe = await readFile(load.resolve('axe-core/axe.min.js'), 'utf8')
  const browser = await playwright.chromium.launch({ executablePath: chromium ?? '', args: ['--no-sandbox'] })
  after(() => browser.close())
  const { serving: server } = await serveHome()
  const page = await (await browser.newContext()).newPage()
  const errors: string[] = []
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', (error) => errors.push(error.message))
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  for (let number = 1; number <= 25; number++)
    await fetch(`${server.url}/api/stats/session/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: `ghost ${number}` }),
    })

  await page.goto(`${server.url}/-/admin/new/user`)
  await page.fill('[name=user]', 'administrator')
  await page.fill('[name=password]', 'a password for tests')
  await press('Enter')
  await page.waitForURL(`${server.url}/-/admin/new/user`)
  // The cursor is in the first field.
  await page.keyboard.type('ada')
  await press('Tab', 'Tab')
  await page.keyboard.type('ada@example.com')
  await press('Tab')
  await page.keyboard.type('an unusual passphrase 1')
  await press('Enter')
  await page.waitForURL('**/admin/users/ada?done=created')
  assert.equal(await focused(page), 'The user was created.')

  await page.goto(`${server.url}/-/admin/sessions`)
  await page.focus('[aria-label="End the session of ghost 1"]')
  await press('Enter')
  await page.waitForURL('**/admin/sessions?done=1')
  assert.equal(await focused(page), 'One session was ended.')
  assert.equal(await page.locator('bdi', { hasText: /^ghost 1$/ }).count(), 0)

  await page.goto(`${server.url}/-/admin/runners`)
  await page.focus('text=Replace the token')
  await press('Enter')
  await page.waitForURL('**/admin/runners?done=replaced')

  await page.goto(`${server.url}/-/admin/tasks`)
  await page.focus('[aria-label="Start now: cleanup_packages"]')
  await press('Enter')
  await page.waitForURL('**/admin/tasks?done=cleanup_packages')

  for (const path of paths) {
    for (const [colorScheme, width] of [
      ['light', 1200],
      ['dark', 360],
    ] as const) {
      await page.setViewportSize({ width, height: 740 })
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.goto(server.url + path)
      await page.evaluate(axe)
      const faults = await page.evaluate(
        `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes.map((node) => node.html)))`,
      )
      assert.deepEqual(faults, [], `${path} ${colorScheme}`)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, path)
    }
  }
  assert.deepEqual(errors, [])
})

/** The text of the element that has the focus. */
const focused = (page: Page) => page.evaluate('document.activeElement?.textContent?.trim()')
