import type { Element, ElementContent } from 'hast'
import { defaultHandlers, type Options } from 'oast-to-hast'
import type { Block, Footnote, FootnoteReference, Headline, Link, List, Parent, Table } from 'orga'
import { element, isElement, text, textOf } from '../html/tree.ts'
import { cleanId } from '../markdown/headings.ts'
import { orgTable } from './org-table.ts'

type Handlers = NonNullable<NonNullable<Options>['handlers']>

const video = /\.(?:mp4|webm)$/i
const image = /\.(?:avif|bmp|gif|ico|jpe?g|png|svg|tiff?|webp)$/i

/** How the nodes of one Org document become HTML; `asides` gathers the footnotes that stand in its sentences. */
export function orgHandlers(asides: Element[]): Handlers {
  return {
    // Line ends stay as they are: a browser reads them as blanks.
    newline: (_state, _node, parent) =>
      parent?.type === 'paragraph' || parent?.type === 'list.item' ? text('\n') : undefined,
    headline: (state, node: Headline, parent) => showHeadline(node, state.all(node), parent),
    list: (state, node: List) => settleItems(defaultHandlers.list(state, node)),
    table: (state, node: Table) => orgTable(node, state.all),
    // The library takes it for granted that a block of code names its language, and an export its format.
    block: (state, node: Block) =>
      defaultHandlers.block(state, node.params[0] ? node : { ...node, params: ['text'] }),
    link: (state, node: Link) => showLink(state.options.linkHref(node), state.all(node)),
    footnote: (state, node: Footnote) => showFootnote(node.label, state.all(node)),
    'footnote.reference': (state, node: FootnoteReference) => {
      const content = state.all(node)
      // `[fn::text]` has no label.
      const label = node.label ?? `note-${asides.length + 1}`
      if (content.length > 0) asides.push(showFootnote(label, [{ ...element('p'), children: content }]))
      return element('sup', { id: `fnref-${label}` }, element('a', { href: `#fn-${label}` }, label))
    },
  }
}

/** The state, priority and tags of a task are part of what a reader is to see. The title of the document is `h1`. */
function showHeadline(node: Headline, title: ElementContent[], section: Parent | undefined): Element {
  const state = [node.keyword, node.priority].flatMap((word) => (word ? [`${word} `] : [])).join('')
  const tags = node.tags?.length ? [text('\u00a0'), element('small', {}, node.tags.join(' '))] : []
  const id = customId(section) ?? cleanId(title.map(textOf).join(''))
  const children = [...(state === '' ? [] : [text(state)]), ...title, ...tags]
  return { ...element(`h${Math.min(node.level + 1, 6)}`, id === '' ? {} : { id }), children }
}

function customId(section: Parent | undefined): string | undefined {
  for (const node of section?.children ?? [])
    if (node.type === 'drawer' && node.name.toUpperCase() === 'PROPERTIES') return propertyOf(node.value)
  return undefined
}

function propertyOf(drawer: string): string | undefined {
  for (const line of drawer.split('\n')) {
    const [, id] = /^:CUSTOM_ID:\s+(\S+)/i.exec(line.trimStart()) ?? []
    if (id !== undefined) return id
  }
  return undefined
}

/** A list below an item belongs into it, where the parser puts it behind. */
function settleItems(list: Element): Element {
  const items: ElementContent[] = []
  for (const child of list.children) {
    const last = items.at(-1)
    if (isElement(child, 'ul', 'ol', 'dl') && isElement(last, 'li', 'dd')) last.children.push(child)
    else items.push(child)
  }
  for (const item of items) if (isElement(item)) dropLineEnd(item)
  return { ...list, children: items }
}

function dropLineEnd(item: Element): void {
  item.children = item.children.filter((child, at, all) => {
    const next = all[at + 1]
    return !(child.type === 'text' && child.value === '\n' && (!next || isElement(next, 'ul', 'ol', 'dl')))
  })
}

/** `*Title` leads to a headline of this document. */
function showLink(target: string, label: ElementContent[]): Element {
  const title = target.startsWith('*') ? target.slice(1) : undefined
  const href = title === undefined ? target : `#${cleanId(title)}`
  if (label.some((part) => textOf(part) !== ''))
    return { ...element('a', { href }), children: label.flatMap(showMedia) }
  return mediaOf(href) ?? element('a', { href }, title ?? href)
}

/** A picture or a video, where an address leads to one. */
function mediaOf(src: string): Element | undefined {
  if (image.test(src)) return element('img', { src, alt: src })
  return video.test(src) ? element('video', { src, title: src, controls: true }, src) : undefined
}

/** The description of a link, in which addresses of pictures and videos stand for these. */
function showMedia(part: ElementContent): ElementContent[] {
  if (part.type !== 'text') return [part]
  return part.value.split(/(\s+)/).map((word) => {
    const isAddress = /^(?:file|https?):/.test(word)
    return (isAddress && mediaOf(word.replace(/^file:/, ''))) || text(word)
  })
}

function showFootnote(label: string, content: ElementContent[]): Element {
  const mark = element('sup', {}, element('a', { href: `#fnref-${label}` }, label))
  const [first, ...others] = content
  const children = isElement(first, 'p')
    ? [{ ...first, children: [mark, text(' '), ...first.children] }, ...others]
    : [mark, ...content]
  return { ...element('div', { id: `fn-${label}` }), children }
}
