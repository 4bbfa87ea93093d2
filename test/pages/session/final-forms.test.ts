import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { startEverything } from '../../support/forge/everything.ts'
import { samePassword } from '../../support/forge/make.ts'
import { browserHeaders, cookieOf, root } from '../browser.ts'

type Node = DefaultTreeAdapterTypes.Node

const { url } = await startEverything()
const cookie = await cookieOf(url, { user: 'ada', password: samePassword })
// Another browser, which has a button that ends it.
await cookieOf(url, { user: 'ada', password: samePassword })

const attribute = (node: Node, name: string) =>
  'attrs' in node ? node.attrs.find((each) => each.name === name)?.value : undefined
const textOf = (node: Node): string =>
  'value' in node ? node.value : 'childNodes' in node ? node.childNodes.map(textOf).join('') : ''

/** A node and all nodes below it. */
const within = (node: Node): Node[] => [
  node,
  ...('childNodes' in node ? node.childNodes.flatMap(within) : []),
]

const isAsked = (node: Node | null): boolean =>
  node !== null && (attribute(node, 'class') === 'ask' || ('parentNode' in node && isAsked(node.parentNode)))

/** What a button says that takes something away for good. */
const final = /^(?:Delete|Remove|Replace|End|Discard|Sign (?:out all|them out)|Turn off)\b/

/** The final forms of a page that are not behind a question, and all of them. */
function finalForms(page: string, path: string): { address: string; isAsked: boolean }[] {
  const forms = within(parse(page)).filter(
    (node) => node.nodeName === 'form' && attribute(node, 'method') === 'post',
  )
  return forms.flatMap((form) => {
    const parts = within(form)
    const buttons = parts.filter(({ nodeName }) => nodeName === 'button').map((each) => textOf(each).trim())
    if (!buttons.some((text) => final.test(text))) return []
    const isWritten = parts.some(
      (node) => node.nodeName === 'input' && !['hidden', 'checkbox'].includes(attribute(node, 'type') ?? ''),
    )
    const address = (attribute(form, 'action') ?? '').replace(root, '/')
    return [{ address, isAsked: isAsked(form) || isWritten || path.endsWith('/delete') }]
  })
}

/** Addresses of pages whose links and forms are read. */
const isOurs = (path: string) =>
  /^\/(?:-\/admin|settings|overview\/manage|notifications|ada\/code(?:\/(?:issues|actions|releases))?(?:\/|$))/.test(
    path,
  ) && !/\/(?:raw|logs|media|archive|blame|find)(?:\/|$)|\?/.test(path)

test('each form of a page that deletes, replaces or ends something asks first, or has to be written into', async () => {
  const waiting = ['/settings', '/-/admin', '/overview/manage', '/notifications', '/ada/code']
  const seen = new Set(waiting)
  const found = new Map<string, boolean>()
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const response = await fetch(url + path, { headers: { ...browserHeaders, cookie }, redirect: 'manual' })
    const page = await response.text()
    if (!response.headers.get('content-type')?.startsWith('text/html')) continue
    for (const { address, isAsked: asked } of finalForms(page, path))
      found.set(address.replace(/\d+/g, 'N'), asked && (found.get(address) ?? true))
    for (const [, to = ''] of page.matchAll(/href="https:\/\/forgehall\.example([^"#]+)/g)) {
      if (!isOurs(to) || seen.has(to) || seen.size > 300) continue
      seen.add(to)
      waiting.push(to)
    }
  }
  assert.deepEqual(
    [...found].filter(([, asked]) => !asked).map(([address]) => address),
    [],
  )
  const expected = [
    '/settings/tokens',
    '/settings/sessions',
    '/-/admin/runners/token/replace',
    '/overview/manage',
  ]
  for (const address of expected) assert.ok(found.has(address), `${address}: ${[...found.keys()]}`)
})
