import type { Element, Root } from 'hast'
import { toHast } from 'oast-to-hast'
import { type Document, makeParser } from 'orga'
import { classesOf, contentOf, element, isElement, walk } from '../html/tree.ts'
import { showCode } from './highlight.ts'
import { orgHandlers } from './org-handlers.ts'

/**
 * Longest Org text that is parsed, and its longest line, in UTF-16 units; longer ones are shown as they are. Orga takes
 * time in proportion to the square of a line and of the number of lines, and calls itself for each token of a section.
 * Within these bounds the most hostile texts that were found take 1.6 s of a processor, of the 10 s that a rendering
 * may take (docs/decisions/19).
 */
export const orgLimits = { length: 32_000, lines: 1_000, line: 2_000 }

/** An Org document as a tree of untrusted HTML; the plain source where it is too long or the parser fails. */
export function renderOrg(source: string): Root {
  // A line of white space counts as empty; the parser recognizes only the ASCII space.
  const inlineNotes: Element[] = []
  const document = isShort(source) ? parseOrg(source.replace(/^[^\S\n]+$/gm, '')) : undefined
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

function isShort(source: string): boolean {
  if (source.length > orgLimits.length) return false
  const lines = source.split('\n')
  return lines.length <= orgLimits.lines && lines.every((line) => line.length <= orgLimits.line)
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
  } catch {
    // A fault of the parser, or a section with more tokens than the stack has room for.
    return undefined
  }
}
