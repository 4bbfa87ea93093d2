import { compileGlob } from '../../../common/glob.ts'

/** Reads `.editorconfig` (https://spec.editorconfig.org). */

/** A section: settings of the files that its glob matches. */
interface Section {
  matches: (path: string) => boolean
  settings: ReadonlyMap<string, string>
}

/** Maximum characters of the glob of a section, as the specification has it, and of sections that are read. */
const max = { glob: 1024, sections: 500 }

/** The settings of a file by their names, in lower case. */
export function settingsFor(text: string, path: string): ReadonlyMap<string, string> {
  const settings = new Map<string, string>()
  for (const section of sectionsIn(text))
    if (section.matches(path)) for (const [name, value] of section.settings) settings.set(name, value)
  for (const [name, value] of settings) if (value === 'unset') settings.delete(name)
  const width = settings.get('tab_width')
  if (settings.get('indent_style') === 'tab' && !settings.has('indent_size'))
    settings.set('indent_size', 'tab')
  if (settings.get('indent_size') === 'tab' && width !== undefined) settings.set('indent_size', width)
  return settings
}

function sectionsIn(text: string): Section[] {
  const sections: Section[] = []
  let settings = new Map<string, string>()
  for (const rawLine of text.replace(/^\ufeff/, '').split(/\r?\n/)) {
    const line = rawLine.trim()
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue
    const equals = line.indexOf('=')
    if (line.startsWith('[') && line.endsWith(']')) {
      if (sections.length === max.sections) break
      settings = new Map()
      sections.push({ matches: matcherOf(line.slice(1, -1)), settings })
    } else if (equals > 0) {
      const [name, value] = [line.slice(0, equals), line.slice(equals + 1)]
      settings.set(name.trim().toLowerCase(), value.trim().toLowerCase())
    }
  }
  return sections
}

/** A glob without a slash is about names in all folders. A malformed one matches nothing. */
function matcherOf(glob: string): (path: string) => boolean {
  if (glob.length > max.glob) return () => false
  const matcher = compileGlob(plainBraces(glob.replace(/^\//, '')), { separators: '/' })
  const isName = !glob.includes('/')
  return (path) => matcher?.(isName ? path.slice(path.lastIndexOf('/') + 1) : path) ?? false
}

/** Replaces `{1..3}` of the specification by `{1,2,3}`, and makes braces without a comma literal. */
const plainBraces = (glob: string) =>
  glob.replace(/\\.|\{([^{},\\]*)\}/g, (all, inner: string | undefined) => {
    if (inner === undefined) return all
    const numbers = numbersIn(inner)
    return numbers ? `{${numbers.join(',')}}` : `\\{${inner}\\}`
  })

/** Maximum numbers of a range. */
const maxNumbers = 1000

/** The numbers of a range such as `1..3`; undefined if it is none, or too long. */
function numbersIn(text: string): number[] | undefined {
  const [, first, last] = /^([+-]?\d{1,6})\.\.([+-]?\d{1,6})$/.exec(text) ?? []
  if (first === undefined || last === undefined) return undefined
  const [from, to] = [Math.min(Number(first), Number(last)), Math.max(Number(first), Number(last))]
  return to - from < maxNumbers ? Array.from({ length: to - from + 1 }, (_, at) => from + at) : undefined
}
