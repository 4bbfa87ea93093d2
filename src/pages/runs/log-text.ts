import { type Html, html, type Piece } from '../html.ts'

/** A line of a log: a command for the server that shows it (workflow commands), or text. */
interface Line {
  command: '' | 'error' | 'warning' | 'notice' | 'debug' | 'group' | 'endgroup'
  /** `file.ts:12` of an error, warning or notice; "" if it names none. */
  place: string
  text: string
}

const commands = ['error', 'warning', 'notice', 'debug', 'group', 'endgroup'] as const

/** A line without what is for machines: its time, and colours of terminals. */
const plain = (line: string) =>
  line.replace(/^\d{4}-\d\d-\d\dT[\d:.]{16}Z /, '').replace(/\u001b\[[\d;]*[A-Za-z]/g, '')

/** Reads `::error file=a.ts,line=12::text` and `##[error]text`. */
export function lineOf(stored: string): Line {
  const line = plain(stored)
  const isOld = line.startsWith('##[')
  const end = isOld ? line.indexOf(']') : line.startsWith('::') ? line.indexOf('::', 2) : -1
  const head = end < 0 ? '' : line.slice(isOld ? 3 : 2, end)
  const [name = '', ...facts] = head.split(' ')
  const command = commands.find((each) => each === name)
  if (!command) return { command: '', place: '', text: line }
  const text = unescaped(line.slice(end + (isOld ? 1 : 2)))
  return { command, place: placeIn(facts.join(' ')), text }
}

function placeIn(facts: string): string {
  const values = new Map(
    facts.split(',').map((fact) => [fact.split('=', 1)[0], fact.slice(fact.indexOf('=') + 1)]),
  )
  const file = unescaped(values.get('file') ?? '')
  const number = values.get('line') ?? ''
  return file === '' || number === '' ? file : `${file}:${number}`
}

const escapes: Readonly<Record<string, string>> = {
  '%25': '%',
  '%0A': '\n',
  '%0D': '',
  '%3A': ':',
  '%2C': ',',
}

const unescaped = (text: string) =>
  text.replace(/%(?:25|0A|0D|3A|2C)/gi, (code) => escapes[code.toUpperCase()] ?? code)

const names = { error: 'Error', warning: 'Warning', notice: 'Notice' } as const

/** Lines of a log for readers: groups that open, highlighted errors and warnings, no debug lines. */
export function logText(stored: readonly string[]): Html {
  const groups: { title: string; pieces: Piece[] }[] = []
  const all: Piece[] = []
  const close = () => {
    const group = groups.pop()
    if (group)
      all.push(html`<details class="log-group"><summary>${group.title}</summary>${group.pieces}</details>`)
  }
  for (const line of stored) {
    const { command, place, text } = lineOf(line)
    // As on other forges, groups are not nested: another one ends the one before.
    if (command === 'group' || command === 'endgroup') close()
    if (command === 'group') groups.push({ title: text, pieces: [] })
    if (command === 'group' || command === 'endgroup' || command === 'debug') continue
    const pieces = groups.at(-1)?.pieces ?? all
    if (command === '') pieces.push(html`${text}\n`)
    else
      pieces.push(
        html`<span class="log-${command}"><b>${names[command]}:</b> ${text}${place === '' ? undefined : html` <code>${place}</code>`}\n</span>`,
      )
  }
  close()
  return html`${all}`
}
