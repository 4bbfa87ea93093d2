import type { ElementContent, Root } from 'hast'
import { type Options, toHast } from 'oast-to-hast'
import { type Link, parse } from 'orga'
import { showCode } from './highlight.ts'
import { classesOf, contentOf, element, isElement, text, textOf, walk } from './tree.ts'

/** An Org document as a tree of untrusted HTML. */
export function renderOrg(source: string): Root {
  const tree = toHast(parse(source), options)
  const root: Root = { type: 'root', children: tree.type === 'root' ? contentOf(tree) : [tree] }
  walk(root, (node) => {
    const [code] = node.children
    if (node.tagName !== 'pre' || !isElement(code, 'code') || classesOf(node).length > 0) return
    node.properties = { className: ['code-block', 'fenced'] }
    showCode(node)
  })
  return root
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
