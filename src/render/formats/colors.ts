import type { Element } from 'hast'
import { element, textOf } from '../html/tree.ts'

const hexadecimal = /^#(?:[\da-f]{3}|[\da-f]{4}|[\da-f]{6}|[\da-f]{8})$/i
const call = /^(rgb|hsl)(a?)\(([^()]+)\)$/i

/** Longer texts are not checked for a colour. */
const maxLength = 80

/** `#f00`, `rgb(255, 0, 0)`, `hsla(0, 100%, 50%, 0.5)`: comma-separated values within their ranges. */
function isColor(value: string): boolean {
  if (value.length > maxLength) return false
  if (hexadecimal.test(value)) return true
  const [, space = '', alpha, list = ''] = call.exec(value) ?? []
  const parts = list.split(',').map((part) => part.trim())
  if (alpha && !/^(?:[01](?:\.0)?|0?\.\d+)$/.test(parts.pop() ?? '')) return false
  if (parts.length !== 3) return false
  return space.toLowerCase() === 'hsl' ? isHsl(parts) : parts.every(isAmount(255)) || parts.every(isPercent)
}

const isHsl = ([hue = '', ...others]: readonly string[]) => isAmount(360)(hue) && others.every(isPercent)
const isAmount = (max: number) => (text: string) => /^\d{1,3}$/.test(text) && Number(text) <= max
const isPercent = (text: string) => text.endsWith('%') && isAmount(100)(text.slice(0, -1))

/** `` `#FF0000` ``: adds a colour sample to a colour in code. Colour names get none: they are mostly ordinary words. */
export function showColor(code: Element): void {
  const value = textOf(code)
  if (code.properties.className !== undefined || !isColor(value)) return
  code.children.push(element('span', { className: ['color-preview'], style: `background-color: ${value}` }))
}
