import type { ElementContent, Root } from 'hast'
import { classesOf, element, isElement, text } from '../html/tree.ts'

/** Foreground, background and flags of the current text (ECMA-48, 8.3.117 SGR). */
interface Style {
  foreground: string
  background: string
  readonly flags: Set<number>
}

/** Any control sequence: CSI, OSC up to its terminator, or a two-character one. Bounded, so matching stays linear. */
const sequence =
  /\x1b(?:\[([\d;:?<=>!]{0,64})[ -/]{0,8}([@-~])|\][^\x07\x1b]{0,1000}(?:\x07|\x1b\\)|[ -/]{0,3}[0-~])/g

/** A control sequence without its end, and its maximum length. */
const openSequence = /^\x1b(?:\[[\d;:?<=>!]{0,64}[ -/]{0,8}|\][^\x07\x1b]{0,1000}|[ -/]{0,3})$/
const maxSequence = 1100

/** Terminal output: colours and weights as classes, line ends as `<br>`, every other sequence dropped. */
export function renderTerminal(output: string): Root {
  const source = withoutOpenEnd(output)
  const children: ElementContent[] = []
  const style: Style = { foreground: '', background: '', flags: new Set() }
  let end = 0
  const add = (part: string) => {
    for (const piece of pieces(part, classOf(style))) append(children, piece)
  }
  for (const match of source.matchAll(sequence)) {
    add(source.slice(end, match.index))
    if (match[2] === 'm') apply(style, match[1] ?? '')
    end = match.index + match[0].length
  }
  add(source.slice(end))
  return { type: 'root', children }
}

/** The text without a truncated sequence at its end. */
function withoutOpenEnd(part: string): string {
  const start = part.lastIndexOf('\x1b')
  const isOpen = start >= part.length - maxSequence && openSequence.test(part.slice(start))
  return start >= 0 && isOpen ? part.slice(0, start) : part
}

/** Adds a piece of output; merges it with the previous piece if both have the same style. */
function append(children: ElementContent[], piece: Piece): void {
  const last = children.at(-1)
  const className = piece.className.join(' ')
  if (piece.text === undefined) children.push(element('br'))
  else if (isElement(last, 'span') && className !== '' && classesOf(last).join(' ') === className)
    appendText(last.children, piece.text)
  else if (className === '') appendText(children, piece.text)
  else children.push(element('span', { className: piece.className }, piece.text))
}

function appendText(children: ElementContent[], value: string): void {
  const last = children.at(-1)
  if (last?.type === 'text') last.value += value
  else children.push(text(value))
}

/** A piece of a line; without `text`, a line end. */
interface Piece {
  readonly text?: string
  readonly className: string[]
}

function pieces(part: string, className: string[]): Piece[] {
  const clean = part.replace(/[\0-\x08\x0b-\x1f\x7f]/g, '')
  return clean.split('\n').flatMap((line, index): Piece[] => {
    const shown = line === '' ? [] : [{ text: line, className }]
    return index === 0 ? shown : [{ className: [] }, ...shown]
  })
}

function classOf({ foreground, background, flags }: Style): string[] {
  const switches = [...flags].sort((a, b) => a - b).map((flag) => `term-fg${flag}`)
  return [foreground, background].filter((name) => name !== '').concat(switches)
}

function apply(style: Style, parameters: string): void {
  const codes = parameters.split(/[;:]/).map(Number)
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] ?? 0
    if (code === 38 || code === 48) index += extended(style, code, codes.slice(index + 1, index + 5))
    else applyOne(style, code)
  }
}

/** One of 256 colours: the next code selects it. RGB colours have no class; their codes are skipped. */
function extended(style: Style, code: number, [kind, color = 0]: number[]): number {
  if (kind !== 5) return kind === 2 ? 4 : 0
  const name = Number.isInteger(color) && color >= 0 && color < 256 ? `x${color}` : ''
  if (code === 38) style.foreground = name && `term-fg${name}`
  else style.background = name && `term-bg${name}`
  return 2
}

function applyOne(style: Style, code: number): void {
  if (code === 0) {
    style.foreground = style.background = ''
    style.flags.clear()
  } else if (code < 10) style.flags.add(code)
  else if (code === 22) for (const flag of [1, 2]) style.flags.delete(flag)
  else if (code > 22 && code < 30) style.flags.delete(code - 20)
  else if (code >= 30 && code <= 37) style.foreground = `term-fg${code}`
  else if (code === 39) style.foreground = ''
  else if (code >= 40 && code <= 47) style.background = `term-bg${code}`
  else if (code === 49) style.background = ''
  else if (code >= 90 && code <= 97) style.foreground = `term-fgi${code}`
  else if (code >= 100 && code <= 107) style.background = `term-bgi${code}`
}

/** Whether a file without a known extension is terminal output: two sequences near its start. */
export function looksLikeTerminal(source: string): boolean {
  return source.slice(0, 512).split('\x1b[').length > 2
}
