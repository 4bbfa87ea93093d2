/** A line of a log: a workflow command, which is for the server that shows the log, or text. */
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
  const values = new Map(
    facts
      .join(' ')
      .split(',')
      .map((fact) => [fact.split('=', 1)[0], fact.slice(fact.indexOf('=') + 1)]),
  )
  const title = command === 'group' ? '' : unescaped(values.get('title') ?? '')
  const text = unescaped(line.slice(end + (isOld ? 1 : 2)))
  return { command, place: placeIn(values), text: title === '' ? text : `${title}: ${text}` }
}

function placeIn(values: ReadonlyMap<string | undefined, string>): string {
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

/** What a log says about the code that its job is about. */
const annotationKinds = ['error', 'warning', 'notice'] as const

/** An annotation, with its line in the log, from 0. */
export interface Annotation {
  line: number
  kind: (typeof annotationKinds)[number]
  /** The line, without its time. */
  content: string
}

/** Characters of an annotation that are stored. */
const maxLength = 4096

/** The annotations in lines as they are stored, the first of which has this number. */
export function annotationsIn(stored: string, first: number): Annotation[] {
  if (!/^\S+ (?:::|##\[)(?:error|warning|notice)/m.test(stored)) return []
  return stored.split('\n').flatMap((line, at) => {
    const { command } = lineOf(line)
    const kind = annotationKinds.find((each) => each === command)
    return kind ? [{ line: first + at, kind, content: plain(line).slice(0, maxLength) }] : []
  })
}
