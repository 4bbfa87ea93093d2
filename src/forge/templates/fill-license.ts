/** The values of a licence's placeholders. */
interface LicenseValues {
  /** The year of the copyright, as it is printed. */
  readonly year: number
  /** The copyright holder: the login of the repository owner. */
  readonly owner: string
  /** Absent: an e-mail placeholder at the end of a line is dropped, and any other stays. */
  readonly email?: string
  readonly project?: string
}

/**
 * The spellings found in the texts of the SPDX list and of other public collections, in lower case and
 * without their brackets.
 */
const spellings: Readonly<Record<keyof LicenseValues, readonly string[]>> = {
  year: ['year', 'yyyy', 'xxxx', 'insert then current year', 'year of first publication'],
  owner: [
    'owner',
    'holder',
    'holders',
    'copyright holder',
    'copyright holders',
    "copyright holder's name",
    'copyright owner',
    'name of copyright owner',
    'name of copyright holder',
    'name of author',
    'author',
    "author's name or designee",
    'fullname',
    'full name',
    'name',
    'login',
    'organization',
    'owner organization',
    'owner organization name',
    'asset owner',
    'licensor name',
  ],
  email: ['email', 'e-mail', 'email address'],
  project: ['project', 'project name', 'program', 'software name', 'asset name'],
}

const meaning = new Map(
  (['year', 'owner', 'email', 'project'] as const).flatMap((key) =>
    spellings[key].map((spelling) => [spelling, key] as const),
  ),
)

/** `<word>`, `[word]`, `{word}`, `${word}`, `{{ word }}`. */
const bracketed = /<([^<>\n]{1,40})>|\[([^[\]\n]{1,40})\]|\$?\{{1,2}([^{}\n]{1,40})\}{1,2}/g

/** Texts whose copyright line has no brackets, or names its first users instead of a placeholder. */
const rewritten: ReadonlyMap<string, readonly [line: RegExp, template: string]> = new Map([
  ['0BSD', [/\bYEAR by AUTHOR EMAIL\b/, '[year] by [author] [email]']],
  [
    'ISC',
    [
      /^Copyright .*Internet Systems Consortium.*(\nCopyright .*Internet Software.*)?$/m,
      'Copyright (c) [year] [owner]',
    ],
  ],
])

/**
 * Fills the placeholders for year, owner, e-mail and project in a licence text. A licence that forbids changes to its
 * own text (the GNU licences, whose placeholders are in the advice to the reader) is returned unchanged.
 * @param key the name of the licence in the collection
 */
export function fillLicense(key: string, text: string, values: LicenseValues): string {
  if (text.includes('changing it is not allowed')) return text
  const year = String(values.year)
  return withTemplate(key, text)
    .replaceAll(bracketed, (whole: string, angle?: string, square?: string, curly?: string) => {
      const word = angle ?? square ?? curly ?? ''
      const field = meaning.get(word.trim().toLowerCase())
      return String((field && values[field]) ?? whole)
    })
    .replaceAll(`${year}-${year}`, year)
    .replaceAll(/ [<[]email[>\]]$/gim, '')
}

function withTemplate(key: string, text: string): string {
  const rule = rewritten.get(key)
  return rule ? text.replace(...rule) : text
}
