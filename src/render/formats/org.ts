import type { Element, Root } from 'hast'
import { toHast } from 'oast-to-hast'
import { type Document, makeParser } from 'orga'
import { classesOf, contentOf, element, isElement, walk } from '../html/tree.ts'
import { showCode } from './highlight.ts'
import { orgHandlers } from './org-handlers.ts'

/** An Org document as a tree of untrusted HTML; the plain source where the parser fails. */
export function renderOrg(source: string): Root {
  // A line of white space counts as empty; the parser recognizes only the ASCII space.
  const inlineNotes: Element[] = []
  const document = parseOrg(source.replace(/^[^\S\n]+$/gm, ''))
  if (document === undefined) return { type: 'root', children: [element('pre', {}, source)] }
  const tree = toHast(document, { handlers: orgHandlers(inlineNotes) })
  const root: Root = { type: 'root', children: tree.type === 'root' ? contentOf(tree) : [tree] }
  root.children.push(...inlineNotes)
  wrapStandalone(root)
  const title = [document.properties.title ?? []].flat().join(' ')
  if (title !== '') root.children.unshift(element('h1', {}, title))
  walk(root, (node) => {
    const [code] = node.children
    if (node.tagName !== 'pre' || !isElement(code, 'code') || classesOf(node).length > 0) return
    node.properties = { className: ['code-block', 'fenced'] }
    showCode(node)
  })
  return root
}

/** Wraps links, images and videos that are not in a paragraph in one. */
function wrapStandalone(parent: Root | Element): void {
  for (const [index, child] of parent.children.entries()) {
    if (isElement(child, 'a', 'img', 'video')) parent.children[index] = element('p', {}, child)
    else if (isElement(child, 'div')) wrapStandalone(child)
  }
}

/** Maximum parser steps without progress: on some texts (a line of `~~`) it would loop for ever. */
const maxStandstill = 20

function parseOrg(source: string): Document | undefined {
  try {
    const parser = makeParser(source)
    let position = -1
    let standstill = 0
    for (;;) {
      const step = parser.advance()
      if (typeof step !== 'number') return step
      standstill = step === position ? standstill + 1 : 0
      position = step
      if (standstill > maxStandstill) return undefined
    }
  } catch (error) {
    // The caller handles a stack overflow (RangeError); any other error is a fault of the parser.
    if (error instanceof RangeError) throw error
    return undefined
  }
}
