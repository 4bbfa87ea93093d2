import type { Element, Nodes, Root } from 'hast'
import { find, html, svg } from 'property-information'

/** Elements without content and end tag (HTML Living Standard 13.1.2). */
const voidElements = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))

/**
 * Serializes a sanitised tree. Both quote characters are escaped in text as well as in attributes, so that no text can
 * end an attribute wherever a client pastes it; boolean attributes are written as `name=""`. `closed` writes void
 * elements as `<br/>` instead of `<br>`.
 */
export function serialize(root: Root, closed: boolean): string {
  const out: string[] = []
  write(root, out, closed, false)
  return out.join('')
}

function write(node: Nodes, out: string[], closed: boolean, inSvg: boolean): void {
  if (node.type === 'text') out.push(escapeHtml(node.value))
  else if (node.type === 'root') for (const child of node.children) write(child, out, closed, inSvg)
  else if (node.type === 'element') writeElement(node, out, closed, inSvg || node.tagName === 'svg')
}

function writeElement(node: Element, out: string[], closed: boolean, inSvg: boolean): void {
  out.push('<', node.tagName)
  for (const [name, value] of Object.entries(node.properties)) writeAttribute(name, value, out, inSvg)
  if (voidElements.has(node.tagName)) {
    out.push(closed ? '/>' : '>')
    return
  }
  out.push('>')
  // A parser drops the first line end inside <pre>; one that belongs to the text needs another before it.
  const [first] = node.children
  if (node.tagName === 'pre' && first?.type === 'text' && first.value.startsWith('\n')) out.push('\n')
  for (const child of node.children) write(child, out, closed, inSvg)
  out.push('</', node.tagName, '>')
}

function writeAttribute(name: string, value: unknown, out: string[], inSvg: boolean): void {
  if (value === undefined || value === null || value === false) return
  const info = find(inSvg ? svg : html, name)
  const separator = info.commaSeparated ? ', ' : ' '
  const written = value === true ? '' : Array.isArray(value) ? value.join(separator) : String(value)
  out.push(' ', info.attribute, '="', escapeHtml(written), '"')
}

const references: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
}

/** Text or attribute value with the five special characters escaped. */
export function escapeHtml(value: string): string {
  return /[&<>"']/.test(value)
    ? value.replace(/[&<>"']/g, (character) => references[character] ?? character)
    : value
}
