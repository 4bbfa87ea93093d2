import type { Element, ElementContent, Root } from 'hast'
import { sanitize as filter } from 'hast-util-sanitize'
import { classAllowed, needAttributes, onlyAttributes, schema } from './allow.ts'
import { attribute, classesOf, contentOf, tokensOf } from './tree.ts'

/** Differences between the modes. */
interface SanitizeRules {
  /** Keep the classes that the renderer writes (modes with post-processing). */
  readonly rich: boolean
  /** Keep images embedded as base64 `data:` URLs of a bitmap format (notebooks). */
  readonly bitmaps: boolean
}

/** The tree reduced to the allow-list. Always the last step before serializing. */
export function sanitize(root: Root, rules: SanitizeRules): Root {
  const clean = filter(root, schema)
  if (clean.type !== 'root') return { type: 'root', children: clean.type === 'doctype' ? [] : [clean] }
  return { type: 'root', children: polish(contentOf(clean), rules) }
}

function polish(children: readonly ElementContent[], rules: SanitizeRules): ElementContent[] {
  const polished: ElementContent[] = []
  for (const child of children) {
    if (child.type !== 'element') {
      if (child.type === 'text') polished.push(child)
      continue
    }
    child.children = polish(child.children, rules)
    limit(child, rules)
    const empty = Object.values(child.properties).every((value) => value === undefined)
    if (empty && needAttributes.has(child.tagName))
      for (const grandchild of child.children) polished.push(grandchild)
    else polished.push(child)
  }
  return polished
}

function limit(node: Element, rules: SanitizeRules): void {
  const { properties, tagName } = node
  const only = onlyAttributes[tagName]
  if (only !== undefined)
    for (const name of Object.keys(properties)) if (!only.has(name)) delete properties[name]
  if (tagName === 'input' && attribute(node, 'type')?.toLowerCase() !== 'checkbox') delete properties.type
  if (properties.className !== undefined && !classAllowed(tagName, classesOf(node).join(' '), rules.rich))
    delete properties.className
  if (properties.style !== undefined) limitStyle(node)
  for (const name of addresses) if (properties[name] !== undefined) limitAddress(node, name, rules)
  if (properties.target !== undefined) limitTarget(node)
  if (tagName === 'a' && properties.href !== undefined) limitRel(node)
}

/** Colours are the only style declarations allowed; no value can contain an address. */
const colored = ['color', 'background-color']
const harmless = /^[\w#.,%()/ +-]+$/

function limitStyle(node: Element): void {
  const declarations = (attribute(node, 'style') ?? '').split(';').flatMap((part) => {
    // Split and trimmed, not matched by one pattern: white space on both sides would make the pattern quadratic.
    const colon = part.indexOf(':')
    const name = part.slice(0, Math.max(0, colon)).trim().toLowerCase()
    const value = part.slice(colon + 1).trim()
    return !colored.includes(name) || !harmless.test(value) || /url|expression|var/i.test(value)
      ? []
      : [`${name}: ${value}`]
  })
  if (declarations.length === 0) delete node.properties.style
  else node.properties.style = declarations.join('; ')
}

const addresses = ['href', 'src', 'cite', 'srcSet', 'action', 'formAction', 'xLinkHref']
const bitmap = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z\d+/=\s]*$/i

function limitAddress(node: Element, name: string, rules: SanitizeRules): void {
  const value = attribute(node, name) ?? ''
  if (rules.bitmaps && node.tagName === 'img' && name === 'src' && bitmap.test(value)) return
  const parts = name === 'srcSet' ? value.split(',') : [value]
  if (parts.some(isUnsafe)) delete node.properties[name]
}

/**
 * Whether a browser would take from this address a script or a document written by the author, or a file from the
 * reader's machine or network. Ignores white space and control characters as the URL parser does (URL Standard 4.4),
 * and also those that it does not ignore.
 */
function isUnsafe(url: string): boolean {
  return /^(?:javascript|vbscript|data|blob|filesystem|file):/i.test(
    url.replace(/[\0-\x20\x7f-\xa0\xad\u200b-\u200f\u2028-\u202f\ufeff]/g, ''),
  )
}

/** A link may open a new window. Any other target could replace a window of the page that shows the text. */
function limitTarget(node: Element): void {
  const isLink = node.tagName === 'a' || node.tagName === 'area'
  if (isLink && attribute(node, 'target')?.toLowerCase() === '_blank') node.properties.target = '_blank'
  else delete node.properties.target
}

function limitRel(node: Element): void {
  const tokens = new Set(tokensOf(node.properties.rel))
  tokens.add('nofollow')
  if (node.properties.target === '_blank') tokens.add('noopener')
  // Written last, after `href` and `target`.
  delete node.properties.rel
  node.properties.rel = [...tokens]
}
