import assert from 'node:assert/strict'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { faultsOf } from '../../support/chromium.ts'

/** How somebody works with the pages. */
export interface Way {
  name: string
  /** The same in the name of a test. */
  title: string
  options: BrowserContextOptions
  /** Follows a link, presses a button, opens a menu, ticks a box: what a click does. */
  activate: (page: Page, to: Locator, key: 'Enter' | 'Space') => Promise<void>
  /** Puts the cursor into a field. */
  enter: (page: Page, field: Locator) => Promise<void>
  /** Whether axe reads each kind of page. */
  isRead: boolean
}

const click: Pick<Way, 'activate' | 'enter'> = {
  activate: (_page, to) => to.click(),
  enter: (_page, field) => field.click(),
}

/** More steps than any page has links, buttons and fields. */
const maxTabs = 250

/** Presses Tab until an element has the focus, which must be seen. */
async function tabTo(page: Page, to: Locator): Promise<void> {
  const target = await to.elementHandle()
  for (let tabs = 0; tabs < maxTabs; tabs++) {
    if (await target?.evaluate((element) => element === element.ownerDocument.activeElement)) {
      const outline = await to.evaluate((element) => getComputedStyle(element).outlineStyle)
      return assert.notEqual(outline, 'none', `${page.url()}: the focus on ${to} is seen`)
    }
    await page.keyboard.press('Tab')
  }
  assert.fail(`${page.url()}: Tab does not reach ${to}`)
}

const keys: Pick<Way, 'activate' | 'enter'> = {
  async activate(page, to, key) {
    await tabTo(page, to)
    await page.keyboard.press(key)
  },
  enter: tabTo,
}

const desk = { width: 1280, height: 900 }
const phone = { width: 360, height: 740 }
const still = { reducedMotion: 'reduce' } as const

export const ways = {
  mouse: {
    name: 'mouse',
    title: 'by mouse',
    options: { ...still, viewport: desk, colorScheme: 'light' },
    ...click,
    isRead: true,
  },
  keyboard: {
    name: 'keyboard',
    title: 'by keyboard',
    options: { ...still, viewport: desk, colorScheme: 'light' },
    ...keys,
    isRead: false,
  },
  phone: {
    name: 'phone',
    title: 'on a phone, dark',
    options: { ...still, viewport: phone, hasTouch: true, colorScheme: 'dark' },
    ...click,
    activate: (_page, to) => to.tap(),
    isRead: true,
  },
  plain: {
    name: 'plain',
    title: 'without script',
    options: { ...still, viewport: desk, javaScriptEnabled: false },
    ...click,
    isRead: false,
  },
} satisfies Record<string, Way>

/** One action of the day: where it began, and what it took. */
interface Action {
  name: string
  page: string
  clicks: number
}

/** Reads a page for the first time. */
type Look = (page: Page, at: string) => Promise<void>

/** Somebody in a browser of their own, who works in one way. */
export async function personIn(browser: Browser, url: string, way: Way, look?: Look) {
  const context = await browser.newContext(way.options)
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', (error) => errors.push(error.message))
  const actions: Action[] = []
  const seen = new Set<string>()
  let clicks = 0

  async function activate(to: Locator, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
    clicks++
    await way.activate(page, to, key)
  }

  const within = (scope: string) => page.locator(scope).filter({ visible: true })
  const named = (role: 'link' | 'button', name: string | RegExp, scope = 'main') =>
    within(scope).getByRole(role, { name, exact: true }).filter({ visible: true }).first()
  const labelled = (label: string, scope = 'main') =>
    within(scope)
      .getByLabel(label, { exact: true })
      .and(page.locator('input, select, textarea'))
      .filter({ visible: true })
      .first()

  return {
    page,
    errors,
    way: way.name,
    actions,
    /** Follows a link by its name. */
    follow: (name: string | RegExp, scope?: string) => activate(named('link', name, scope)),
    /** Presses a button by its name. */
    press: (name: string | RegExp, scope?: string) => activate(named('button', name, scope)),
    /** Opens a menu, or what a page hides below a word. */
    unfold: (name: string, scope = 'main') =>
      activate(
        within(scope)
          .locator(`summary:text-is("${name}"), summary[aria-label="${name}"]`)
          .filter({ visible: true })
          .first(),
      ),
    tick: (label: string, scope?: string) => activate(labelled(label, scope), 'Space'),
    async write(label: string, text: string, scope?: string): Promise<void> {
      await way.enter(page, labelled(label, scope))
      await page.keyboard.press('Control+A')
      await page.keyboard.insertText(text)
    },
    /** Chooses an option; one click. */
    async choose(label: string, option: string): Promise<void> {
      clicks++
      const list = labelled(label)
      if (way.name !== 'keyboard') return void (await list.selectOption({ label: option }))
      await tabTo(page, list)
      await page.keyboard.type(option)
    },
    /** Chooses files with the dialog of the browser; one click. */
    async attach(
      label: string,
      ...files: { name: string; mimeType: string; buffer: Buffer }[]
    ): Promise<void> {
      const asked = page.waitForEvent('filechooser')
      await activate(labelled(label))
      await (await asked).setFiles(files)
    },
    /** Sends the field that has the cursor. */
    async send(): Promise<void> {
      await page.keyboard.press('Enter')
    },
    /** Waits for what an action shows; the page is read when it is the first of its kind. */
    async see(selector: string): Promise<void> {
      await page.locator(selector).first().waitFor()
      const at = kindOf(page.url())
      if (seen.has(at)) return
      seen.add(at)
      await look?.(page, at)
      if (!way.isRead) return
      assert.deepEqual(await faultsOf(page), [], page.url())
      const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      assert.equal(beyond, 0, `${page.url()} needs no sideways scrolling`)
    },
    /** Does an action of the day, which may take so many clicks. */
    async act(name: string, most: number, work: () => Promise<void>): Promise<void> {
      clicks = 0
      const began = kindOf(page.url())
      await work()
      actions.push({ name, page: began, clicks })
      assert.ok(clicks <= most, `${name} takes ${clicks} clicks, not ${most}`)
    },
    open: (path: string) => page.goto(url + path),
    close: () => context.close(),
  }
}

export type Person = Awaited<ReturnType<typeof personIn>>

/** The path of a page, in which numbers and ids are left out. */
const kindOf = (address: string) =>
  new URL(address).pathname.replaceAll(/[0-9a-f]{40}/g, ':id').replaceAll(/(?<=\/)\d+/g, ':n')
