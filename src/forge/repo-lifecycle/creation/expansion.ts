/** Variables in files of templates: values by names. */
export type Variables = ReadonlyMap<string, string>

/** The repository that variables describe: the template, or the new one. */
interface NamedRepository {
  owner: string
  name: string
  description: string
}

const months = 'January February March April May June July August September October November December'.split(
  ' ',
)

/** The variables that Gitea replaces in files of templates. `host`: root of links. */
export function variablesFor(
  template: NamedRepository,
  made: NamedRepository,
  { now, host }: { now: Date; host: string },
): Variables {
  const [year = '', month = '', day = ''] = now.toISOString().slice(0, 10).split('-')
  return new Map([
    ['YEAR', year],
    ['MONTH', month],
    ['DAY', day],
    ...inAllForms('MONTH_ENGLISH', months[now.getUTCMonth()] ?? ''),
    ...about('REPO', made, host),
    ...about('TEMPLATE', template, host),
  ])
}

function about(prefix: string, { owner, name, description }: NamedRepository, host: string) {
  const { hostname, pathname } = new URL(host)
  const path = `${owner}/${name}`
  return [
    ...inAllForms(`${prefix}_NAME`, name),
    ...inAllForms(`${prefix}_OWNER`, owner),
    [`${prefix}_DESCRIPTION`, description],
    [`${prefix}_LINK`, pathname + path],
    [`${prefix}_HTTPS_URL`, `${host}${path}.git`],
    [`${prefix}_SSH_URL`, `git@${hostname}:${path}.git`],
  ] as const
}

/** A variable, and the same under the names of its other forms: `REPO_NAME_SNAKE`. */
const inAllForms = (name: string, value: string) =>
  [['', value], ...forms.map(([form, change]) => [`_${form}`, change(value)] as const)].map(
    ([form, changed]) => [name + form, changed ?? ''] as const,
  )

const forms: readonly (readonly [string, (text: string) => string])[] = [
  ['SNAKE', (text) => wordsOf(text).join('_').toLowerCase()],
  ['KEBAB', (text) => wordsOf(text).join('-').toLowerCase()],
  ['CAMEL', (text) => lowerFirst(parts(text).map(upperFirst).join(''))],
  ['PASCAL', (text) => parts(text).map(upperFirst).join('')],
  ['LOWER', (text) => text.toLowerCase()],
  ['UPPER', (text) => text.toUpperCase()],
  ['TITLE', (text) => text.replace(/(?<![\w.])[a-z]/g, (letter) => letter.toUpperCase())],
]

const parts = (text: string) => text.split(/[-_ ]/).filter((part) => part !== '')
const upperFirst = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)
const lowerFirst = (text: string) => text.slice(0, 1).toLowerCase() + text.slice(1)

/** `HTTPServer` has two words, and so has `http2xx`: a number that letters follow begins one. */
const wordsOf = (text: string) =>
  text.match(/(?:[A-Z]+(?![a-z])|[A-Z]?[a-z]+)(?:\d+(?![a-z\d]))?|\d[a-z\d]*/g) ?? []

/**
 * Replaces `$NAME` and `${NAME}`, as Go's os.Expand does for Gitea: of an unknown variable, the bare name stays, and `$$`
 * becomes `$`.
 */
export function expand(text: string, variables: Variables): string {
  const pieces: string[] = []
  const lastBrace = text.lastIndexOf('}')
  let at = 0
  for (let sign = text.indexOf('$'); sign >= 0; sign = text.indexOf('$', at)) {
    const { name, end } = nameAt(text, sign + 1, lastBrace)
    pieces.push(text.slice(at, sign), variables.get(name) ?? name)
    at = end
  }
  return [...pieces, text.slice(at)].join('')
}

/** The name behind a `$`: in braces; one special character; letters, digits and underscores; or only the `$` itself. */
function nameAt(text: string, start: number, lastBrace: number): { name: string; end: number } {
  if (text.charAt(start) === '{') {
    // Otherwise the search would read a text of many open braces to its end for each of them.
    if (start > lastBrace) return { name: '', end: start + 1 }
    const end = text.indexOf('}', start)
    return { name: text.slice(start + 1, end), end: end + 1 }
  }
  if (/[*#$@!?\-0-9]/.test(text.charAt(start))) return { name: text.charAt(start), end: start + 1 }
  let end = start
  while (/\w/.test(text.charAt(end))) end++
  return end === start ? { name: '$', end } : { name: text.slice(start, end), end }
}
