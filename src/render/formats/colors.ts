import type { Element } from 'hast'
import { element, textOf } from '../html/tree.ts'

const number = String.raw`\s*[+-]?[\d.]{1,8}(?:deg|grad|rad|turn|%)?\s*`
const color = new RegExp(
  String.raw`^(?:#(?:[\da-f]{3}|[\da-f]{4}|[\da-f]{6}|[\da-f]{8})|(?:rgb|hsl)a?\(${number}(?:[,/ ]${number}){2,3}\))$`,
  'i',
)

/** `` `#FF0000` ``: a colour in code gets a sample of itself. Names of colours do not: they are mostly words. */
export function showColor(code: Element): void {
  const value = textOf(code)
  if (value.length > 80 || code.properties.className !== undefined || !color.test(value)) return
  code.children.push(element('span', { className: ['color-preview'], style: `background-color: ${value}` }))
}
