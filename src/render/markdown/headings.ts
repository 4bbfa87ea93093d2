import type { Element, Root } from 'hast'
import { cleanId } from '../html/anchor.ts'
import { attribute, element, isElement, textOf, walk } from '../html/tree.ts'

const levels = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']

/** `## Title {#id}`: the id becomes the attribute; other attributes in the braces are dropped. */
const attributes =
  /^(?:[#.][^\s{}"'=#.]+|[\w-]+=(?:"[^"{}]*"|[^\s{}"']+))(?:\s+(?:[#.][^\s{}"'=#.]+|[\w-]+=(?:"[^"{}]*"|[^\s{}"']+)))*$/u

/** Applies `{#id}`. */
export function readHeadingAttributes(node: Element): void {
  const last = node.children.at(-1)
  if (!levels.includes(node.tagName) || last?.type !== 'text') return
  const value = last.value.trimEnd()
  const start = value.lastIndexOf('{')
  const inside = value.slice(start + 1, -1).trim()
  if (start < 0 || !value.endsWith('}') || !attributes.test(inside)) return
  last.value = value.slice(0, start).trimEnd()
  const id = /#([^\s{}]+)/.exec(inside)?.[1]
  if (id !== undefined) node.properties.id = id
}

/** Gives every heading without an id one made from its text; `prefixIds` adds the prefix. */
export function nameHeadings(root: Root): void {
  walk(root, (node) => {
    if (!levels.includes(node.tagName) || node.properties.id !== undefined) return
    const id = cleanId(textOf(node))
    if (id !== '') node.properties.id = id
  })
}

const prefixed = /^(?:user-content-|fn:user-content-|fnref:user-content-)/

/**
 * Attributes that name an element. Scripts of a page can find some of them as properties of `document` and `window`.
 */
const naming = ['id', 'name']
/** Attributes that refer to such names: one, several, and one after a `#`. */
const referring = ['htmlFor', 'headers', 'ariaDescribedBy', 'ariaLabelledBy', 'useMap']

/**
 * Prefixes the names in a text, to keep them apart from those of the surrounding page (HTML Living Standard, "Named
 * access on the Window object" and "DOM tree accessors"). Returns the names that it changed.
 */
export function prefixIds(root: Root): ReadonlySet<string> {
  const changed = new Set<string>()
  walk(root, (node) => {
    for (const name of naming) {
      const value = attribute(node, name)
      if (value === undefined || value === '' || prefixed.test(value)) continue
      node.properties[name] = prefix(value)
      changed.add(value)
    }
    for (const name of referring) {
      const value = node.properties[name]
      if (Array.isArray(value)) node.properties[name] = value.map((each) => prefix(`${each}`))
      else if (typeof value === 'string' && value !== '') node.properties[name] = prefix(value)
    }
  })
  return changed
}

function prefix(name: string): string {
  if (name.startsWith('#')) return `#${prefix(name.slice(1))}`
  return prefixed.test(name) ? name : `user-content-${name}`
}

/** Like `prefixIds`, for a text whose links stay as they are: only links to renamed elements are adapted. */
export function prefixIdsAndFragments(root: Root): void {
  const changed = prefixIds(root)
  if (changed.size === 0) return
  walk(root, (node) => {
    const href = node.tagName === 'a' ? attribute(node, 'href') : undefined
    if (href?.startsWith('#') && changed.has(href.slice(1))) node.properties.href = prefix(href)
  })
}

/** The headings as nested lists of links; undefined without headings. */
export function tableOfContents(root: Root, summary: string): Element | undefined {
  const headings: { level: number; id: string; text: string }[] = []
  walk(root, (node) => {
    const id = attribute(node, 'id')
    if (levels.includes(node.tagName) && id !== undefined)
      headings.push({ level: levels.indexOf(node.tagName), id, text: textOf(node) })
  })
  if (headings.length === 0) return undefined
  const top = Math.min(...headings.map((heading) => heading.level))
  const list = element('ul')
  const open = [list]
  for (const heading of headings) {
    const depth = heading.level - top + 1
    while (open.length > depth) open.pop()
    while (open.length < depth) open.push(append(open.at(-1) ?? list, element('ul')))
    append(open.at(-1) ?? list, element('li', {}, element('a', { href: `#${heading.id}` }, heading.text)))
  }
  return element('details', {}, element('summary', {}, summary), list)
}

/** Puts a deeper list into the last item, if there is one. */
function append(list: Element, child: Element): Element {
  const last = list.children.at(-1)
  const parent = child.tagName === 'ul' && isElement(last, 'li') ? last : list
  parent.children.push(child)
  return child
}
