import { json } from '../../../http/route/sends.ts'
import { queryCount, queryText } from '../../protocol/query.ts'
import { printDate } from '../../protocol/time.ts'
import { route } from '../../route.ts'
import { packageReader, packageReaderKnown } from '../access.ts'
import { Nothing, NpmAudit, NpmSearch, NpmUser } from './npm.shape.ts'
import { type FoundPackage, npmPackagesNamed } from './npm-store.ts'

/** The search and the other requests of npm clients that are not about one package. */

/** Default and maximum number of results. */
const sizes = { default: 20, maximum: 250 }

export const npmSearch = route('GET /{owner}/npm/-/v1/search', {
  summary: 'Packages whose names contain all words of `text`',
  access: packageReader(),
  query: { text: queryText, size: queryCount, from: queryCount },
  returns: json(200, NpmSearch),
  handler: async ({ sql, query, caller, now }) => {
    const terms = query.text.toLowerCase().split(/\s+/).filter(Boolean)
    const size = query.size > 0 ? Math.min(query.size, sizes.maximum) : sizes.default
    const range = { size, from: Math.max(0, query.from) }
    const { total, packages } = await npmPackagesNamed(sql, { owner: caller.subject.id, terms }, range)
    return { objects: packages.map((each) => print(each, caller.subject.name)), total, time: printDate(now) }
  },
})

export const npmWhoami = route('GET /{owner}/npm/-/whoami', {
  summary: 'The user of the credentials',
  access: packageReaderKnown(),
  returns: json(200, NpmUser),
  handler: ({ caller }) => ({ username: caller.me.name }),
})

export const npmPing = route('GET /{owner}/npm/-/ping', {
  summary: 'Whether the registry can be reached',
  access: packageReader(),
  returns: json(200, Nothing),
  handler: () => ({}),
})

/** This server knows of no vulnerabilities; without an answer, each installation by a client would show an error. */
const audit = { access: packageReader(), returns: json(200, Nothing) } as const

export const npmAdvisories = route('POST /{owner}/npm/-/npm/v1/security/advisories/bulk', {
  ...audit,
  summary: 'Advisories about packages: always none',
  handler: () => ({}),
})

/** The older form of the same. */
const olderAudit = {
  ...audit,
  summary: 'The older form of the same: always nothing found',
  returns: json(200, NpmAudit),
  handler: () => ({
    actions: [],
    advisories: {},
    muted: [],
    metadata: { vulnerabilities: noVulnerabilities },
  }),
} as const

export const npmAudit = route('POST /{owner}/npm/-/npm/v1/security/audits/quick', olderAudit)

/** Where yarn 1, and pnpm before 11, ask. */
export const npmFullAudit = route('POST /{owner}/npm/-/npm/v1/security/audits', olderAudit)

const noVulnerabilities = { info: 0, low: 0, moderate: 0, high: 0, critical: 0 }

/** This server does not rank packages: all have the same score. */
const score = { final: 1, detail: { quality: 1, popularity: 1, maintenance: 1 } }

function print({ name, version, created_at, manifest }: FoundPackage, publisher: string) {
  const [scope] = /^@[^/]+/.exec(name) ?? []
  const { description, keywords } = manifest
  const person = { username: publisher, email: '' }
  return {
    package: {
      name,
      scope: scope?.slice(1) ?? 'unscoped',
      version,
      description: typeof description === 'string' ? description : '',
      keywords: Array.isArray(keywords) ? keywords.filter((each) => typeof each === 'string') : [],
      date: created_at,
      links: linksIn(manifest),
      ...authorIn(manifest),
      publisher: person,
      maintainers: [person],
    },
    score,
    searchScore: 1,
  }
}

/** The author whom a manifest names: a text, or an object with a name. */
function authorIn({ author }: FoundPackage['manifest']): { author?: { name: string } } {
  const name = textIn(author, 'name') ?? (typeof author === 'string' ? author : undefined)
  return name === undefined ? {} : { author: { name } }
}

/** The addresses of a manifest. A repository is named by a text or an object with a URL. */
function linksIn({ homepage, repository, bugs }: FoundPackage['manifest']) {
  const links = {
    homepage,
    repository: textIn(repository, 'url') ?? repository,
    bugs: textIn(bugs, 'url') ?? bugs,
  }
  return Object.fromEntries(
    Object.entries(links).flatMap(([name, link]) => (typeof link === 'string' ? [[name, link]] : [])),
  )
}

/** A text among the members of an object. */
function textIn(value: unknown, name: string): string | undefined {
  const members = new Map(typeof value === 'object' && value !== null ? Object.entries(value) : [])
  const text: unknown = members.get(name)
  return typeof text === 'string' ? text : undefined
}
