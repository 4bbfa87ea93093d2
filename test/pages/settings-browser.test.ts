import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeBase32 } from '../../src/forge/auth/base32.ts'
import { totpAt } from '../../src/forge/auth/totp.ts'
import { administrator, clientOf, holdAccessible, openTab, skip, startChromium } from '../support/chromium.ts'
import { until } from '../support/wait.ts'

test('people change their own settings with the keyboard alone', { skip }, async () => {
  const { context, url } = await startChromium()
  const tab = await openTab(context, url)
  const { page, errors, open, press, write, enter, reach, holdFocus, signIn } = tab
  const { password } = administrator
  const changed = 'another password for tests'

  await open('/login')
  await signIn()
  await reach('/')
  await holdAccessible(page)

  await open('/settings')
  await holdAccessible(page)
  await page.focus('#full_name')
  await write('Ada Lovelace')
  await press('Enter')
  await reach('/settings?done=1')
  await holdFocus('notice')
  await holdAccessible(page)

  await open('/settings/password')
  await holdAccessible(page)
  await page.focus('#current')
  const change = async (current: string) => {
    await write(current)
    await press('Tab')
    await write(changed)
    await press('Tab')
    await write(changed)
    await press('Enter')
  }
  await change('wrong')
  await page.waitForSelector('#current-fault')
  await holdFocus('current')
  await holdAccessible(page)
  errors.length = 0
  await change(password)
  await reach('/settings/password?done=1')

  await open('/settings/emails')
  await page.focus('#email')
  await write('ada@example.com')
  await press('Enter')
  await reach('/settings/emails?done=1')
  await holdAccessible(page)

  await open('/settings/tokens')
  await holdAccessible(page)
  await page.focus('#name')
  await write('for tests')
  // A day has a stop for each of its parts, as the browser chooses.
  await page.focus('[name=all]')
  await press('Space', 'Enter')
  await page.waitForSelector('#made')
  await holdFocus('made')
  assert.match(await page.inputValue('#made'), /^[0-9a-f]{40}$/)
  await holdAccessible(page)
  await enter('[aria-label="Delete for tests"]')
  await enter('.ask[open] button')
  await reach('/settings/tokens?done=1')

  for (const section of ['keys', 'sessions']) {
    await open(`/settings/${section}`)
    await holdAccessible(page)
  }

  await enrolAndRelease(tab, changed)

  await notify(url, changed)
  await open('/notifications')
  await holdAccessible(page)
  await enter('button[aria-label="Pin: It leaks"]')
  await reach('/notifications?status=unread&page=1&done=1')
  await open('/notifications?status=pinned')
  await enter('button[aria-label="Mark as unread: It leaks"]')
  await reach('/notifications?status=pinned&page=1&done=1')
  await open('/')
  await holdAccessible(page)
  await open('/notifications')
  await enter('text=Mark all as read')
  await page.waitForSelector('text=No unread notifications')
  assert.deepEqual(errors, [])
})

/** Turns one-time codes on, and off with a recovery code. */
async function enrolAndRelease(
  { page, open, press, write, reach }: Awaited<ReturnType<typeof openTab>>,
  password: string,
): Promise<void> {
  await open('/settings/codes')
  await holdAccessible(page)
  const secret = decodeBase32(await page.inputValue('[name=secret]')) ?? Buffer.alloc(0)
  await page.focus('#code')
  await write(totpAt(secret, new Date()))
  await press('Tab')
  await write(password)
  await press('Enter')
  const code = (await page.textContent('.secrets li')) ?? ''
  await holdAccessible(page)
  await open('/settings/codes')
  await holdAccessible(page)
  await page.focus('#current')
  await write(password)
  await press('Tab')
  await write(code)
  await press('Tab', 'Tab', 'Enter')
  await reach('/settings/codes?done=1')
}

/** Somebody else opens an issue of a repository that the administrator watches. */
async function notify(url: string, password: string): Promise<void> {
  const bob = { user: 'bob', password: 'a password of bob' }
  const ask = clientOf(url, { user: administrator.user, password })
  await ask('POST', '/api/v1/user/repos', { name: 'engine' })
  await ask('POST', '/api/v1/admin/users', {
    username: bob.user,
    email: 'bob@example.com',
    password: bob.password,
    must_change_password: false,
  })
  await clientOf(url, bob)('POST', '/api/v1/repos/administrator/engine/issues', { title: 'It leaks' })
  await until(
    'the administrator is notified',
    async () => (await ask('GET', '/api/v1/notifications/new')).new === 1,
  )
}
