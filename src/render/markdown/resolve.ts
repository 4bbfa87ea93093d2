import type { Element, Root } from 'hast'
import { attribute, element, isElement } from '../html/tree.ts'
import { isAbsolute, type Links } from './links.ts'

/** Makes the addresses of links, images and videos absolute, and every image a link to itself. */
export function resolveLinks(
  parent: Root | Element,
  links: Links,
  above: readonly boolean[] = [false, false],
): void {
  parent.children.forEach((child, index) => {
    if (!isElement(child)) return
    resolveLinks(child, links, [child.tagName === 'a', above[0] ?? false])
    if (child.tagName === 'a') change(child, 'href', links.link)
    if (child.tagName === 'video') change(child, 'src', links.media)
    if (child.tagName !== 'img') return
    const source = attribute(child, 'src') ?? ''
    change(child, 'src', links.media)
    if (above.includes(true) || source === '' || source.startsWith('data:')) return
    const href = isAbsolute(source) ? source : links.link(source)
    parent.children[index] = element('a', { href, target: '_blank' }, child)
  })
}

function change(node: Element, name: string, resolve: (url: string) => string): void {
  const url = attribute(node, name)
  if (url !== undefined && url !== '') node.properties[name] = resolve(url)
}
