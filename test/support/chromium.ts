import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { after } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { serveHome } from './binary.ts'
import { until } from './wait.ts'

/** Debian's name and others'. */
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => existsSync(path),
)

/** Why tests in Chromium are left out; false if they are not. */
export const skip = executablePath === undefined && 'no Chromium is installed: apt-get install chromium'

// They find their own files beside themselves: not to be bundled.
const load = createRequire(resolve('package.json'))

/** The administrator of a server that tests start. */
export const administrator = { user: 'administrator', password: 'a password for tests' }

const wide = { width: 1100, height: 800 }
const phone = { width: 360, height: 640 }

/** Chromium, which ends after the tests of the file. */
export async function openChromium(): Promise<Browser> {
  const playwright: typeof import('playwright-core') = load('playwright-core')
  const browser = await playwright.chromium.launch({
    executablePath: executablePath ?? '',
    args: ['--no-sandbox'],
  })
  after(() => browser.close())
  return browser
}

/** A server of the built file, and a window of Chromium; both end after the tests of the file. */
export async function startChromium(options: BrowserContextOptions = {}) {
  const browser = await openChromium()
  const { serving } = await serveHome()
  const context = await browser.newContext({ viewport: wide, reducedMotion: 'reduce', ...options })
  return { browser, context, url: serving.url }
}

/** A tab, and what somebody does in it; `errors` collects what the console reports. */
export async function openTab(context: BrowserContext, url: string, errors: string[] = []) {
  const page = await context.newPage()
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', (error) => errors.push(error.message))
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const write = (text: string) => page.keyboard.type(text)
  return {
    page,
    errors,
    press,
    write,
    /** Opens a path of the server. */
    open: (path: string) => page.goto(url + path),
    /** Reaches an element as with Tab, and presses Enter on it. */
    async enter(selector: string) {
      await page.focus(selector)
      await press('Enter')
    },
    /** Waits for a path of the server, which may hold `*`. */
    reach: (path: string) => page.waitForURL(url + path),
    /** Waits until the element of this id, name, class or text has the focus. */
    holdFocus: (word: string) => holdFocus(page, word),
    /** Signs in on a page that asks for it. */
    async signIn({ user, password } = administrator) {
      await page.waitForSelector('#user:focus')
      await write(user)
      await press('Tab')
      await write(password)
      await press('Enter')
      await page.waitForURL((address) => address.pathname !== '/login')
    },
  }
}

/**
 * Waits until the element of this id, name, class or text has the focus. A browser gives it after the page is loaded, when
 * it first draws it.
 */
export async function holdFocus(page: Page, word: string): Promise<void> {
  let words: unknown
  const hasFocus = async () => {
    words = await page.evaluate(
      '(({ id, name, className, textContent }) => [id, name, className, textContent.trim()])(document.activeElement)',
    )
    return Array.isArray(words) && words.includes(word)
  }
  await until(`${word} has the focus`, hasFocus).catch((error: Error) => {
    throw new Error(`${error.message}; it is at ${JSON.stringify(words)}`)
  })
}

/** Rules that depend on colours and the width of the window: the others find the same in each. */
const ofLooks = ['color-contrast', 'scrollable-region-focusable']

/** Texts that wrap and still reach beyond their box. */
const cutOff = `[...document.querySelectorAll('pre')].filter((text) => getComputedStyle(text).whiteSpace === 'pre-wrap' && text.scrollWidth > text.clientWidth).map((text) => text.className)`

/** The faults of accessibility that axe finds in a page as it is shown. */
export async function faultsOf(page: Page, options: object = {}): Promise<string[]> {
  axe ??= readFile(load.resolve('axe-core/axe.min.js'), 'utf8')
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(await axe)
  return page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes.map((node) => node.html)))`,
  )
}

let axe: Promise<string> | undefined

/**
 * Fails for a fault of accessibility in light or dark, or if the page needs sideways scrolling on a phone or cuts a text
 * off there.
 */
export async function holdAccessible(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  assert.deepEqual(await faultsOf(page), [], `${page.url()} light`)
  await page.setViewportSize(phone)
  await page.emulateMedia({ colorScheme: 'dark' })
  assert.deepEqual(await faultsOf(page, { runOnly: ofLooks }), [], `${page.url()} dark`)
  const width = await page.evaluate('document.documentElement.scrollWidth')
  assert.equal(width, phone.width, `${page.url()} needs no sideways scrolling on a phone`)
  assert.deepEqual(await page.evaluate(cutOff), [], `${page.url()} shows texts whole on a phone`)
  await page.setViewportSize(wide)
}

/** Asks the API as somebody; fails unless it succeeds. */
export function clientOf(url: string, { user, password } = administrator) {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  return async (method: string, path: string, body?: object) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    assert.ok(response.ok, `${method} ${path}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
}

/** Pastes a file into a text of a form, and drops it there once more. */
export async function pasteAndDrop(
  page: Page,
  selector: string,
  { name, type, base64 }: { name: string; type: string; base64: string },
): Promise<void> {
  for (const [event, transfer] of [
    ['paste', 'clipboardData'],
    ['drop', 'dataTransfer'],
  ])
    await page.evaluate(`{
      const ${transfer} = new DataTransfer()
      const bytes = Uint8Array.from(atob('${base64}'), (each) => each.charCodeAt(0))
      ${transfer}.items.add(new File([bytes], '${name}', { type: '${type}' }))
      const event = new Event('${event}', { bubbles: true, cancelable: true })
      document.querySelector('${selector}').dispatchEvent(Object.assign(event, { ${transfer} }))
    }`)
}
