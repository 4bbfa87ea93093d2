import type { Element, ElementContent } from 'hast'
import { defaultHandlers, type Options } from 'oast-to-hast'
import type { Block, Footnote, FootnoteReference, Headline, Link, List, Parent, Table } from 'orga'
import { cleanId } from '../html/anchor.ts'
import { element, elementOf, isElement, text, textOf } from '../html/tree.ts'
import { orgTable } from './org-table.ts'

type Handlers = NonNullable<NonNullable<Options>['handlers']>

const video = /\.(?:mp4|webm)$/i
const image = /\.(?:avif|bmp|gif|ico|jpe?g|png|svg|tiff?|webp)$/i

/** How the nodes of one Org document become HTML; `inlineNotes` collects the footnotes written inside sentences. */
export function orgHandlers(inlineNotes: Element[]): Handlers {
  return {
    // Line ends stay: a browser renders them as spaces.
    newline: (_state, _node, parent) =>
      parent?.type === 'paragraph' || parent?.type === 'list.item' ? text('\n') : undefined,
    headline: (state, node: Headline, parent) => showHeadline(node, state.all(node), parent),
    list: (state, node: List) => nestItems(defaultHandlers.list(state, node)),
    table: (state, node: Table) => orgTable(node, state.all),
    // The library assumes that every code block names its language and every export block its format.
    block: (state, node: Block) =>
      defaultHandlers.block(state, node.params[0] ? node : { ...node, params: ['text'] }),
    link: (state, node: Link) => showLink(state.options.linkHref(node), state.all(node)),
    footnote: (state, node: Footnote) => showFootnote(node.label, state.all(node)),
    'footnote.reference': (state, node: FootnoteReference) => {
      const content = state.all(node)
      // `[fn::text]` has no label.
      const label = node.label ?? `note-${inlineNotes.length + 1}`
      if (content.length > 0) inlineNotes.push(showFootnote(label, [elementOf('p', {}, content)]))
      return element('sup', { id: `fnref-${label}` }, element('a', { href: `#fn-${label}` }, label))
    },
  }
}

/** Shows the state, priority and tags of a task. `h1` is reserved for the document title. */
function showHeadline(node: Headline, title: ElementContent[], section: Parent | undefined): Element {
  const state = [node.keyword, node.priority].flatMap((word) => (word ? [`${word} `] : [])).join('')
  const tags = node.tags?.length ? [text('\u00a0'), element('small', {}, node.tags.join(' '))] : []
  const id = customId(section) ?? cleanId(title.map(textOf).join(''))
  const children = [...(state === '' ? [] : [text(state)]), ...title, ...tags]
  return elementOf(`h${Math.min(node.level + 1, 6)}`, id === '' ? {} : { id }, children)
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

/** Moves a nested list into its item; the parser places it after the item. */
function nestItems(list: Element): Element {
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
  item.children = item.children.filter((child, index, all) => {
    const next = all[index + 1]
    return !(child.type === 'text' && child.value === '\n' && (!next || isElement(next, 'ul', 'ol', 'dl')))
  })
}

/** `*Title` links to a headline of this document. */
function showLink(target: string, label: ElementContent[]): Element {
  const title = target.startsWith('*') ? target.slice(1) : undefined
  const href = title === undefined ? target : `#${cleanId(title)}`
  if (label.some((part) => textOf(part) !== '')) return elementOf('a', { href }, label.flatMap(showMedia))
  return mediaOf(href) ?? element('a', { href }, title ?? href)
}

/** An image or a video if the address points to one. */
function mediaOf(src: string): Element | undefined {
  if (image.test(src)) return element('img', { src, alt: src })
  return video.test(src) ? element('video', { src, title: src, controls: true }, src) : undefined
}

/** The description of a link, with addresses of images and videos replaced by these. */
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
  return elementOf('div', { id: `fn-${label}` }, children)
}
