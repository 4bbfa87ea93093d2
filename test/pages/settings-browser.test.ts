import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { decodeBase32 } from '../../src/forge/auth/base32.ts'
import { totpAt } from '../../src/forge/auth/totp.ts'
import { serveHome } from '../support/binary.ts'
import { until } from '../support/wait.ts'

/** Debian's name and others'. */
const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)
const skip = chromium === undefined && 'no Chromium is installed: apt-get install chromium'

// They find their own files beside themselves: not to be bundled.
const load = createRequire(resolve('package.json'))

test('people change what is their own with the keyboard alone', { skip }, async () => {
  const playwright: typeof import('playwright-core') = load('playwright-core')
  const axe = await readFile(load.resolve('axe-core/axe.min.js'), 'utf8')
  const browser = await playwright.chromium.launch({ executablePath: chromium ?? '', args: ['--no-sandbox'] })
  after(() => browser.close())
  const { serving: server } = await serveHome()
  const page = await browser.newPage()
  const errors: string[] = []
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  const open = (path: string) => page.goto(server.url + path)
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const write = (text: string) => page.keyboard.type(text)
  const focus = () => page.evaluate('document.activeElement.id || document.activeElement.className')
  const holdAccessible = async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.evaluate(axe)
      const faults = await page.evaluate(
        `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes.map((node) => node.html)))`,
      )
      assert.deepEqual(faults, [], `${page.url()} ${colorScheme}`)
    }
    await page.setViewportSize({ width: 360, height: 640 })
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, page.url())
    await page.setViewportSize({ width: 1100, height: 800 })
  }
  const password = 'a password for tests'
  const changed = 'another password for tests'

  await open('/login')
  await page.waitForSelector('#user:focus')
  await write('administrator')
  await press('Tab')
  await write(password)
  await press('Enter')
  await page.waitForURL(`${server.url}/`)
  await holdAccessible()

  await open('/settings')
  await holdAccessible()
  await page.focus('#full_name')
  await write('Ada Lovelace')
  await press('Enter')
  await page.waitForURL('**/settings?done=1')
  assert.equal(await focus(), 'notice')
  await holdAccessible()

  await open('/settings/password')
  await holdAccessible()
  await page.focus('#current')
  await write('wrong')
  await press('Tab')
  await write(changed)
  await press('Tab')
  await write(changed)
  await press('Enter')
  await page.waitForSelector('#current-fault')
  assert.equal(await focus(), 'current')
  await holdAccessible()
  errors.length = 0
  await write(password)
  await press('Tab')
  await write(changed)
  await press('Tab')
  await write(changed)
  await press('Enter')
  await page.waitForURL('**/settings/password?done=1')

  await open('/settings/emails')
  await page.focus('#email')
  await write('ada@example.com')
  await press('Enter')
  await page.waitForURL('**/settings/emails?done=1')
  await holdAccessible()

  await open('/settings/tokens')
  await holdAccessible()
  await page.focus('#name')
  await write('for tests')
  // A day has a stop for each of its parts, as the browser chooses.
  await page.focus('[name=all]')
  await press('Space', 'Enter')
  await page.waitForSelector('#made')
  assert.equal(await focus(), 'made')
  assert.match(await page.inputValue('#made'), /^[0-9a-f]{40}$/)
  await holdAccessible()
  await page.focus('button[aria-label="Delete for tests"]')
  await press('Enter')
  await page.waitForURL('**/settings/tokens?done=1')

  await open('/settings/keys')
  await holdAccessible()
  await open('/settings/sessions')
  await holdAccessible()

  await enrolAndRelease(page, { changed, open: () => open('/settings/codes'), holdAccessible })

  await notify(server.url, changed)
  await open('/notifications')
  await holdAccessible()
  await page.focus('button[aria-label="Pin: It leaks"]')
  await press('Enter')
  await page.waitForURL('**/notifications?status=unread&page=1&done=1')
  await open('/notifications?status=pinned')
  await page.focus('button[aria-label="Mark as unread: It leaks"]')
  await press('Enter')
  await page.waitForURL('**/notifications?status=pinned&page=1&done=1')
  await open('/')
  await holdAccessible()
  await open('/notifications')
  await page.focus('text=Mark all as read')
  await press('Enter')
  await page.waitForSelector('text=You have read everything.')
  assert.deepEqual(errors, [])
})

/** Turns one-time codes on, and off with a recovery code. */
async function enrolAndRelease(
  page: Page,
  {
    changed,
    open,
    holdAccessible,
  }: { changed: string; open: () => Promise<unknown>; holdAccessible: () => Promise<void> },
): Promise<void> {
  await open()
  await holdAccessible()
  const secret = decodeBase32(await page.inputValue('[name=secret]')) ?? Buffer.alloc(0)
  await page.focus('#code')
  await page.keyboard.type(totpAt(secret, new Date()))
  await page.keyboard.press('Tab')
  await page.keyboard.type(changed)
  await page.keyboard.press('Enter')
  const code = (await page.textContent('.secrets li')) ?? ''
  await holdAccessible()
  await open()
  await holdAccessible()
  await page.focus('#current')
  await page.keyboard.type(changed)
  await page.keyboard.press('Tab')
  await page.keyboard.type(code)
  for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key)
  await page.waitForURL('**/settings/codes?done=1')
}

/** Somebody else opens an issue of a repository that the administrator watches. */
async function notify(url: string, password: string): Promise<void> {
  const as = (user: string, secret: string) => `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`
  const ask = async (authorization: string, method: string, path: string, body?: object) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const response = await fetch(`${url}/api/v1/${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    assert.ok(response.ok, `${path}: ${text}`)
    return JSON.parse(text)
  }
  const admin = as('administrator', password)
  const bob = {
    username: 'bob',
    email: 'bob@example.com',
    password: 'a password of bob',
    must_change_password: false,
  }
  await ask(admin, 'POST', 'user/repos', { name: 'engine' })
  await ask(admin, 'POST', 'admin/users', bob)
  const issue = { title: 'It leaks' }
  await ask(as('bob', bob.password), 'POST', 'repos/administrator/engine/issues', issue)
  await until(
    'the administrator is notified',
    async () => (await ask(admin, 'GET', 'notifications/new')).new === 1,
  )
}
