import assert from 'node:assert/strict'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'

/** Headers of a browser that opens a page. */
export const browserHeaders = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** What a page must never hold as markup, whatever was published. */
export const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title></style><svg onload=alert(1)>',
  'javascript:alert(1)',
  '${7*7}{{7*7}}<!--',
]

/** Fails if an element or attribute of a page comes from a user. */
export function holdClean(page: string): void {
  assert.doesNotMatch(
    page,
    /<script(?! src="https:\/\/forgehall\.example\/assets\/(?:conversation|live|form|code|run|keys)-[\w-]+\.js" defer>)/,
  )
  assert.doesNotMatch(page.replace(/="[^"]*"/g, ''), /<[^>]*\son\w+/i)
  assert.doesNotMatch(
    page,
    /(?:href|src)="(?!https?:\/\/|#(?:main|online|news|media|presence|figures|activity|review)"|#(?:L|file-|step-)\w+"|otpauth:\/\/totp\/Forgehall:)/i,
  )
  assert.doesNotMatch(page, /\sstyle=/)
  assert.doesNotMatch(page, beforeTime)
  holdHeadings(page)
}

/** Words that do not stand before "8 minutes ago", "in 27 days" and "20 Oct 2026" alike, as scripts show times. */
const beforeTime = /(?<![\w-])(?:after|at|before|by|for|from|in|of|on|since|to|until)\s*(?:<[^>]*>\s*)*<time/i

/** One heading of the first level, and no heading more than a level below the one before, beside texts of users. */
function holdHeadings(page: string): void {
  const levels = levelsIn(parse(page))
  const faults = levels.filter((level, at) => level > (levels[at - 1] ?? level) + 1)
  const firsts = levels.filter((level) => level === 1)
  assert.deepEqual([faults, firsts], [[], [1]], `levels of headings: ${levels}`)
}

/** The levels of the headings below a node, in their order. */
function levelsIn(node: DefaultTreeAdapterTypes.Node): number[] {
  const classes = 'attrs' in node ? node.attrs.find(({ name }) => name === 'class')?.value : undefined
  if (classes?.split(' ').includes('rendered')) return []
  const [, level] = /^h([1-6])$/.exec(node.nodeName) ?? []
  const below = 'childNodes' in node ? node.childNodes.flatMap(levelsIn) : []
  return level === undefined ? below : [Number(level), ...below]
}

/** Requests of a browser that follows no redirects, to a server at `url`. */
export function browserOf(url: string) {
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(url + path, { redirect: 'manual', headers: { ...browserHeaders, ...headers } })
  return {
    get,
    /** A page, which must be there and hold no markup from outside. */
    async page(path: string, headers?: Readonly<Record<string, string>>): Promise<string> {
      const response = await get(path, headers)
      const text = await response.text()
      assert.equal(response.status, 200, `${path}: ${text}`)
      holdClean(text)
      return text
    },
    async statusOf(path: string, headers?: Readonly<Record<string, string>>): Promise<number> {
      const response = await get(path, headers)
      await response.arrayBuffer()
      return response.status
    },
  }
}

/** The root of links in tests. */
export const root = 'https://forgehall.example/'

/** Headers of a form that comes from a page of this server. */
export const sameOrigin = { ...browserHeaders, 'sec-fetch-site': 'same-origin', origin: root.slice(0, -1) }

/** Sends a form as a browser does, and follows no redirects. */
export const send = (
  url: string,
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
) =>
  fetch(url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...sameOrigin, ...headers },
    body: new URLSearchParams(fields),
  })

/** The cookie that an answer sets; "" if it sets none. */
export const cookieIn = ({ headers }: Response) => headers.get('set-cookie')?.split(';')[0] ?? ''

/** Signs in as a browser does; gives the cookie. Without a user, the password is a token. */
export async function cookieOf(url: string, fields: { user?: string; password: string }): Promise<string> {
  const response = await send(url, '/login', { ...fields })
  assert.equal(response.status, 303, await response.text())
  return cookieIn(response)
}
