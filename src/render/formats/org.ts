import type { Element, Root } from 'hast'
import { toHast } from 'oast-to-hast'
import { type Document, makeParser } from 'orga'
import { classesOf, contentOf, element, isElement, walk } from '../html/tree.ts'
import { showCode } from './highlight.ts'
import { orgHandlers } from './org-handlers.ts'

/** An Org document as a tree of untrusted HTML; as it stands where the parser gives up. */
export function renderOrg(source: string): Root {
  // A line of blanks is an empty line; the parser knows the plain blank only.
  const asides: Element[] = []
  const document = parseOrg(source.replace(/^[^\S\n]+$/gm, ''))
  if (document === undefined) return { type: 'root', children: [element('pre', {}, source)] }
  const tree = toHast(document, { handlers: orgHandlers(asides) })
  const root: Root = { type: 'root', children: tree.type === 'root' ? contentOf(tree) : [tree] }
  root.children.push(...asides)
  wrapAlone(root)
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

/** Links, pictures and videos that stand alone are paragraphs of their own. */
function wrapAlone(parent: Root | Element): void {
  for (const [at, child] of parent.children.entries()) {
    if (isElement(child, 'a', 'img', 'video')) parent.children[at] = element('p', {}, child)
    else if (isElement(child, 'div')) wrapAlone(child)
  }
}

/** How often the parser may stand at one place: in some texts (a line of `~~`) it would stand there for ever. */
const maxStandstill = 20

function parseOrg(source: string): Document | undefined {
  try {
    const parser = makeParser(source)
    let place = -1
    let standstill = 0
    for (;;) {
      const step = parser.advance()
      if (typeof step !== 'number') return step
      standstill = step === place ? standstill + 1 : 0
      place = step
      if (standstill > maxStandstill) return undefined
    }
  } catch (error) {
    // Too deep for the stack is told apart by the caller; everything else is the parser's own surprise.
    if (error instanceof RangeError) throw error
    return undefined
  }
}
