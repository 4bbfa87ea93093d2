import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { browserHeaders, root } from './browser.ts'

type Node = DefaultTreeAdapterTypes.Node

/** A form of a page that changes something, by one of its buttons. */
export interface OfferedForm {
  /** The page that has it. */
  page: string
  address: string
  /** What it sends if nobody writes into it, without files. */
  fields: Readonly<Record<string, string>>
  /** Names of fields that must not be empty, and are. */
  empty: readonly string[]
  /** Names of fields for files. */
  files: readonly string[]
  button: string
  /** Whether it is behind a question, or must be written into. */
  isAsked: boolean
}

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

/** The value that a field sends as it stands; undefined: none. */
function sentBy(node: Node): string | undefined {
  if (node.nodeName === 'textarea') return textOf(node)
  if (node.nodeName === 'select') {
    const options = within(node).filter(({ nodeName }) => nodeName === 'option')
    const chosen = options.find((each) => attribute(each, 'selected') !== undefined) ?? options[0]
    return chosen && (attribute(chosen, 'value') ?? textOf(chosen))
  }
  const type = attribute(node, 'type') ?? 'text'
  if (node.nodeName !== 'input' || type === 'file') return undefined
  if (type !== 'checkbox' && type !== 'radio') return attribute(node, 'value') ?? ''
  return attribute(node, 'checked') === undefined ? undefined : (attribute(node, 'value') ?? 'on')
}

const isWritten = (node: Node) =>
  node.nodeName === 'input' && !['hidden', 'checkbox'].includes(attribute(node, 'type') ?? '')

/** The forms of a page that change something: one for each of their buttons. */
export function formsOf(page: string, path: string): OfferedForm[] {
  const forms = within(parse(page)).filter(
    (node) => node.nodeName === 'form' && attribute(node, 'method') === 'post',
  )
  return forms.flatMap((form) => {
    const parts = within(form)
    const fields: Record<string, string> = {}
    for (const part of parts) {
      const [name, value] = [attribute(part, 'name'), sentBy(part)]
      if (name !== undefined && value !== undefined) fields[name] = value
    }
    const empty = parts
      .filter((part) => attribute(part, 'required') !== undefined && sentBy(part) === '')
      .map((part) => attribute(part, 'name') ?? '')
    const shared = {
      page: path,
      address: (attribute(form, 'action') ?? '').replace(root, '/').replace(/#.*/, ''),
      empty,
      files: parts
        .filter((part) => attribute(part, 'type') === 'file')
        .map((part) => attribute(part, 'name') ?? ''),
      isAsked: isAsked(form) || parts.some(isWritten),
    }
    const buttons = parts.filter((part) => part.nodeName === 'button' && attribute(part, 'type') !== 'button')
    return buttons.map((button) => {
      const name = attribute(button, 'name')
      const pressed = name === undefined ? {} : { [name]: attribute(button, 'value') ?? '' }
      return { ...shared, fields: { ...fields, ...pressed }, button: textOf(button).trim() }
    })
  })
}

/** How many pages of one route are read: others of it offer the same. */
const maxOfRoute = 3

/** Follows the links of pages from these on, as far as `routeOf` knows a route; gives the pages by their paths. */
export async function crawl(
  url: string,
  headers: Readonly<Record<string, string>>,
  from: readonly string[],
  routeOf: (path: string) => string | undefined,
): Promise<Map<string, string>> {
  const waiting = [...from]
  const seen = new Set(waiting)
  const counts = new Map<string, number>()
  const pages = new Map<string, string>()
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const response = await fetch(url + path, {
      headers: { ...browserHeaders, ...headers },
      redirect: 'manual',
    })
    const page = await response.text()
    const location = response.headers.get('location')?.replace(root, '/')
    if (location !== undefined && !seen.has(location)) {
      seen.add(location)
      waiting.push(location)
    }
    if (!response.headers.get('content-type')?.startsWith('text/html')) continue
    pages.set(path, page)
    for (const [, to = ''] of page.matchAll(/href="https:\/\/forgehall\.example([^"#?]+)/g)) {
      const route = seen.has(to) ? undefined : routeOf(to)
      const count = counts.get(route ?? '') ?? 0
      if (route === undefined || count >= maxOfRoute) continue
      counts.set(route, count + 1)
      seen.add(to)
      waiting.push(to)
    }
  }
  return pages
}

/** Finds the declaration of a path among these: the one with most fixed letters, as the router does. */
export function routeFinder<Declared extends { path: string }>(routes: readonly Declared[]) {
  const known = routes
    .map((route) => ({
      route,
      pattern: new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+').replace(/\{\w+\.\.\.\}/g, '.+')}$`),
      fixed: route.path.replace(/\{[^}]*\}/g, '').length,
    }))
    .toSorted((a, b) => b.fixed - a.fixed)
  return (path: string): Declared | undefined => known.find(({ pattern }) => pattern.test(path))?.route
}
