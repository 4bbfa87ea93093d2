import type { ElementContent, Nodes, Root } from 'hast'
import { type Options, toHast } from 'oast-to-hast'
import { type Link, makeParser } from 'orga'
import { showCode } from './highlight.ts'
import { classesOf, contentOf, element, isElement, text, textOf, walk } from './tree.ts'

/** An Org document as a tree of untrusted HTML; as it stands where the parser gives up. */
export function renderOrg(source: string): Root {
  // A line of blanks is an empty line; the parser knows the plain blank only.
  const tree = parseOrg(source.replace(/^[^\S\n]+$/gm, ''))
  if (tree === undefined) return { type: 'root', children: [element('pre', {}, source)] }
  const root: Root = { type: 'root', children: tree.type === 'root' ? contentOf(tree) : [tree] }
  walk(root, (node) => {
    const [code] = node.children
    if (node.tagName !== 'pre' || !isElement(code, 'code') || classesOf(node).length > 0) return
    node.properties = { className: ['code-block', 'fenced'] }
    showCode(node)
  })
  return root
}

/** How often the parser may stand at one place: in some texts (a line of `~~`) it would stand there for ever. */
const maxStandstill = 20

function parseOrg(source: string): Nodes | undefined {
  try {
    const parser = makeParser(source)
    let place = -1
    let standstill = 0
    for (;;) {
      const step = parser.advance()
      if (typeof step !== 'number') return toHast(step, options)
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

const image = /\.(?:avif|bmp|gif|ico|jpe?g|png|svg|tiff?|webp)$/i

const options: Options = {
  handlers: {
    // Line ends stay as they are: a browser reads them as blanks.
    newline: (_state, _node, parent) => (parent?.type === 'paragraph' ? text('\n') : undefined),
    link: (state, node: Link) => {
      const href = state.options.linkHref(node)
      const label: ElementContent[] = state.all(node)
      if (label.some((part) => textOf(part) !== '')) return { ...element('a', { href }), children: label }
      return image.test(href) ? element('img', { src: href, alt: href }) : element('a', { href }, href)
    },
  },
}
