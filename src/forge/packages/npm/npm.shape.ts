import * as v from 'valibot'
import { int } from '../../../http/route/values.ts'

/** Bodies that npm clients read. */

const Person = v.object({ username: v.string(), email: v.string() })
const SearchResult = v.object({
  package: v.object({
    name: v.string(),
    scope: v.string(),
    version: v.string(),
    description: v.string(),
    keywords: v.array(v.string()),
    date: v.string(),
    links: v.record(v.string(), v.string()),
    author: v.optional(v.object({ name: v.string() })),
    publisher: Person,
    maintainers: v.array(Person),
  }),
  score: v.object({
    final: v.number(),
    detail: v.object({ quality: v.number(), popularity: v.number(), maintenance: v.number() }),
  }),
  searchScore: v.number(),
})

export const NpmSearch = v.object({ objects: v.array(SearchResult), total: int, time: v.string() })

/** What the client prints of an audit. */
export const NpmAudit = v.object({
  actions: v.array(v.object({})),
  advisories: v.object({}),
  muted: v.array(v.object({})),
  metadata: v.object({ vulnerabilities: v.record(v.string(), int) }),
})

export const NpmUser = v.object({ username: v.string() })

/** The reply to a change. */
export const Done = v.object({ ok: v.boolean() })
export const done = { ok: true }

/** A reply of which only the status matters. */
export const Nothing = v.object({})

/** All versions of a package, as `packument.ts` makes them. */
export const Packument = v.looseObject({ name: v.string() })
