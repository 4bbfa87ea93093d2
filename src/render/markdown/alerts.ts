import type { Element } from 'hast'
import { type IconName, icon } from '../html/icons.ts'
import { element, isElement, text, textOf } from '../html/tree.ts'

const alerts = {
  note: ['Note', 'info'],
  tip: ['Tip', 'light-bulb'],
  important: ['Important', 'report'],
  warning: ['Warning', 'alert'],
  caution: ['Caution', 'stop'],
} as const satisfies Partial<Record<IconName, readonly [string, string]>>

type AlertName = keyof typeof alerts

const isAlert = (name: string): name is AlertName => Object.hasOwn(alerts, name)

/** `> [!NOTE]` and the older `> **Note**`, in any case: turns the block quote into an alert with a heading. */
export function showAlert(quote: Element): void {
  const index = quote.children.findIndex((child) => child.type === 'element')
  const first = quote.children[index]
  if (!isElement(quote, 'blockquote') || !isElement(first, 'p')) return
  const name = takeMark(first) ?? takeEmphasis(first)
  if (name === undefined) return
  const [title, octicon] = alerts[name]
  const kind = `attention-${name}`
  const picture = icon(name, `attention-icon ${kind} svg octicon-${octicon}`, 16)
  quote.properties.className = ['attention-header', kind]
  const { dir } = first.properties
  const heading = element('p', { dir }, picture, element('strong', { className: [kind] }, title))
  quote.children.splice(0, index, heading, text('\n'))
  if (textOf(first).trim() === '' && first.children.every((child) => child.type === 'text'))
    quote.children = quote.children.filter((child) => child !== first)
}

function takeMark(paragraph: Element): AlertName | undefined {
  const [first, second] = paragraph.children
  if (first?.type !== 'text') return undefined
  const [mark, word = ''] = /^\[!([a-z]+)\][ \t]*(?:\n|$)/i.exec(first.value) ?? []
  const name = word.toLowerCase()
  if (mark === undefined || !isAlert(name)) return undefined
  // In comments the line end after the mark is already a line break.
  const endsLine = mark.endsWith('\n') || second === undefined || isElement(second, 'br')
  if (!endsLine) return undefined
  first.value = first.value.slice(mark.length)
  if (isElement(second, 'br')) dropBreak(paragraph, 1)
  return name
}

function takeEmphasis(paragraph: Element): AlertName | undefined {
  const [first] = paragraph.children
  if (!isElement(first, 'strong', 'em')) return undefined
  const name = textOf(first).toLowerCase()
  if (!isAlert(name)) return undefined
  paragraph.children.shift()
  if (isElement(paragraph.children[0], 'br')) dropBreak(paragraph, 0)
  else trimStart(paragraph, 0)
  return name
}

function dropBreak(paragraph: Element, index: number): void {
  paragraph.children.splice(index, 1)
  trimStart(paragraph, index)
}

function trimStart(paragraph: Element, index: number): void {
  const next = paragraph.children[index]
  if (next?.type === 'text') next.value = next.value.trimStart()
}
