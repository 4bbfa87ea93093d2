import type { Element, Root } from 'hast'
import { attribute, element, isElement, textOf, walk } from '../html/tree.ts'

const levels = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']

/** An anchor name: letters, digits, `_` and `-` in lower case, white space as `-`, the rest dropped. */
export function cleanId(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/\s/gu, '-')
    .replace(/[^\p{L}\p{N}_-]/gu, '')
}

/** `## Title {#id}`: the id moves to its attribute; other attributes in the braces are dropped. */
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

/** Gives every heading without an id the one made of its text; the prefix is added by `prefixIds`. */
export function nameHeadings(root: Root): void {
  walk(root, (node) => {
    if (!levels.includes(node.tagName) || node.properties.id !== undefined) return
    const id = cleanId(textOf(node))
    if (id !== '') node.properties.id = id
  })
}

const prefixed = /^(?:user-content-|fn:user-content-|fnref:user-content-)/

/** Elements whose name is an anchor, or, for images, a property of the page's document (HTML Living Standard 3.1.7). */
const named = ['a', 'img']

/** Keeps a text's anchors apart from the names the page around it uses. */
export function prefixIds(root: Root): void {
  walk(root, (node) => {
    for (const name of named.includes(node.tagName) ? ['id', 'name'] : ['id']) {
      const value = attribute(node, name)
      if (value !== undefined && value !== '' && !prefixed.test(value))
        node.properties[name] = `user-content-${value}`
    }
  })
}

/** The headings as nested lists of links, or nothing when there are none. */
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

/** A deeper list belongs into the last item, as far as there is one. */
function append(list: Element, child: Element): Element {
  const last = list.children.at(-1)
  const parent = child.tagName === 'ul' && isElement(last, 'li') ? last : list
  parent.children.push(child)
  return child
}
