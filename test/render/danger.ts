import assert from 'node:assert/strict'
import { type DefaultTreeAdapterTypes, parseFragment, serialize } from 'parse5'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

/** Elements that run, load, submit, style or hide something, whatever their attributes. */
const elements = new Set(
  `script style iframe frame frameset object embed applet form button select option textarea base link meta title template
   noscript noembed noframes plaintext xmp listing portal dialog slot animate animatemotion animatetransform set use image
   foreignobject handler feimage maction mglyph malignmark annotation-xml-script audio track param html head body`.split(
    /\s+/,
  ),
)

const addresses = new Set(
  'href src cite action formaction poster background data ping longdesc codebase manifest to from values by xlink:href'.split(
    ' ',
  ),
)

const bitmap = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-zA-Z\d+/=\s]*$/

/** Fails when a browser would find anything in this HTML that runs or that leaves the text's own place. */
export function assertHarmless(html: string, about: string): void {
  let text = html
  // What a page writes back from its own tree must be as harmless as what it was given.
  for (let round = 0; round < 3; round++) {
    for (const scriptingEnabled of [true, false]) inspect(parseFragment(text, { scriptingEnabled }), about)
    text = serialize(parseFragment(text))
  }
}

function inspect(node: Node, about: string): void {
  assert.notEqual(node.nodeName, '#comment', about)
  if ('tagName' in node) inspectElement(node, about)
  assert.ok(!('content' in node), about)
  if ('childNodes' in node) for (const child of node.childNodes) inspect(child, about)
}

function inspectElement({ tagName, attrs }: Element, about: string): void {
  assert.ok(!elements.has(tagName.toLowerCase()), `<${tagName}> from ${about}`)
  for (const { name, value } of attrs) {
    const where = `${tagName} ${name}="${value}" from ${about}`
    if (name === 'id' || name === 'name') assert.match(value, /^$|^(?:fn:|fnref:)?user-content-/, where)
    if (name === 'target') assert.equal(value, '_blank', where)
    assert.doesNotMatch(name, /^on|^xmlns|^srcdoc$|^http-equiv$|:href$/i, where)
    if (addresses.has(name.toLowerCase())) inspectAddress(value, where)
    if (name === 'srcset') for (const part of value.split(',')) inspectAddress(part, where)
    if (name === 'style') assert.match(value, /^(?:(?:background-)?color: [\w#.,%()/ +-]+(?:; |$))+$/, where)
    if (name === 'style') assert.doesNotMatch(value, /url|expression|@import|\\/i, where)
  }
}

function inspectAddress(value: string, where: string): void {
  if (bitmap.test(value)) return
  const [scheme] = URL.canParse(value, 'http://base.example/')
    ? [new URL(value, 'http://base.example/').protocol]
    : ['http:']
  assert.ok(!['javascript:', 'vbscript:', 'data:', 'blob:', 'filesystem:', 'file:'].includes(scheme), where)
  assert.doesNotMatch(value.replace(/[\s\0-\x20\x7f-\xa0]/g, ''), /^(?:javascript|vbscript):/i, where)
}
