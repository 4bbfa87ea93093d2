import type { Element, ElementContent, Nodes, Properties, Root, RootContent, Text } from 'hast'
import { fromParse5 } from 'hast-util-from-parse5'
import { parseFragment } from 'parse5'

/** Parses HTML as a browser would inside a body (HTML Living Standard 13.4, fragment case). */
export function parseHtml(html: string): Root {
  const tree: Nodes = fromParse5(parseFragment(html))
  return tree.type === 'root' ? tree : { type: 'root', children: [] }
}

export function element(
  tagName: string,
  properties: Properties = {},
  ...children: (ElementContent | string)[]
): Element {
  const content = children.map((child) => (typeof child === 'string' ? text(child) : child))
  return { type: 'element', tagName, properties, children: content }
}

/** An element with a list of children, which may be longer than the maximum number of arguments. */
export function elementOf(tagName: string, properties: Properties, children: ElementContent[]): Element {
  return { type: 'element', tagName, properties, children }
}

export function text(value: string): Text {
  return { type: 'text', value }
}

export function isElement(node: Nodes | undefined, ...tagNames: string[]): node is Element {
  return node?.type === 'element' && (tagNames.length === 0 || tagNames.includes(node.tagName))
}

/** A string or number attribute; lists and booleans count as absent. */
export function attribute(node: Element, name: string): string | undefined {
  const value = node.properties[name]
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined
}

export function classesOf(node: Element): string[] {
  return tokensOf(node.properties.className)
}

/** A list of tokens, however the parser stored it. */
export function tokensOf(value: Properties[string]): string[] {
  if (typeof value === 'string') return value.split(/\s+/)
  return typeof value === 'object' && value !== null ? value.map(String) : []
}

/** All text below a node, in order. */
export function textOf(node: Nodes): string {
  if (node.type === 'text') return node.value
  return 'children' in node ? node.children.map(textOf).join('') : ''
}

/** Calls `visit` for every element, parents before children; the last of `ancestors` is the direct parent. */
export function walk(
  parent: Root | Element,
  visit: (node: Element, ancestors: readonly (Root | Element)[]) => void,
  ancestors: (Root | Element)[] = [],
): void {
  ancestors.push(parent)
  for (const child of [...parent.children]) {
    if (child.type !== 'element') continue
    visit(child, ancestors)
    walk(child, visit, ancestors)
  }
  ancestors.pop()
}

/** The children of a root as children of an element: document types are dropped. */
export function contentOf(root: Root): ElementContent[] {
  return root.children.filter(
    (node): node is Exclude<RootContent, { type: 'doctype' }> => node.type !== 'doctype',
  )
}
