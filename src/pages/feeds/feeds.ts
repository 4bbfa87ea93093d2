import { activityIn } from '../../forge/activity/activity-store.ts'
import type { OnSubject } from '../../forge/auth/access.ts'
import { userSeen } from '../../forge/auth/user-access.ts'
import { escapeSegments } from '../../forge/protocol/escape-segments.ts'
import { codeSeen, type OnRepository, releasesSeen, repoSeen } from '../../forge/repos/access.ts'
import { type CodeContext, commitOfBranch, openCode } from '../../forge/repos/code.ts'
import { found } from '../../http/route/problem.ts'
import type { HandlerBase } from '../../http/route/route.ts'
import { textAs } from '../../http/route/sends.ts'
import { shownParts } from '../repositories/repository-page.ts'
import { type PageTools, route } from '../route.ts'
import { shownActivity } from './account-activity.ts'
import { activityEntry } from './activity-entries.ts'
import { commitEntries, tagEntries } from './commit-entries.ts'
import { type FeedFormat, feedAs, feedTypes } from './document.ts'

// What is new, for programs that follow feeds, at the addresses of the original.

/** How many entries a feed has at most. */
const maximum = 30

const sends = (format: FeedFormat) => ({ fails: [404], returns: textAs(200, feedTypes[format]) }) as const

type OfRepository = HandlerBase<PageTools> & { caller: OnRepository }

/** What is new in a repository, as far as the reader sees its parts. @throws Problem 404, 503 */
async function repositoryFeed(context: CodeContext & OfRepository, format: FeedFormat): Promise<string> {
  const { caller, sql, from } = context
  const code = await openCode(context)
  const shown = await shownParts(sql, caller)
  const [issues, pulls, releases] = [shown.has('issues'), shown.has('pulls'), shown.has('releases')]
  const activity = await activityIn(sql, caller.repo.id, { issues, pulls, releases }, maximum)
  const head = shown.has('branches') ? await commitOfBranch(code, code.row.default_branch) : undefined
  const commits = head === undefined ? [] : await commitEntries(code, head, maximum)
  const entries = [...activity.map((each) => activityEntry(from.host, each)), ...commits]
  const newest = entries.toSorted((a, b) => (a.updated < b.updated ? 1 : -1)).slice(0, maximum)
  const { name, owner } = caller.repo
  const title = `${owner.name}/${name}`
  const self = `${code.home}.${format}`
  return feedAs(format, { self, page: code.home, title, author: owner.name, entries: newest })
}

const ofRepository = {
  summary:
    'The newest commits of the default branch, issues, pull requests and releases of a repository, as a feed',
  access: repoSeen(),
} as const

export const getRepositoryRss = route('GET /{owner}/{repo}.rss', {
  ...ofRepository,
  ...sends('rss'),
  handler: (context) => repositoryFeed(context, 'rss'),
})

export const getRepositoryAtom = route('GET /{owner}/{repo}.atom', {
  ...ofRepository,
  ...sends('atom'),
  handler: (context) => repositoryFeed(context, 'atom'),
})

async function releasesFeed({ caller, sql, from }: OfRepository, format: FeedFormat): Promise<string> {
  const { id, name, owner } = caller.repo
  const rows = await activityIn(sql, id, { issues: false, pulls: false, releases: true }, maximum)
  const page = `${from.host}${owner.name}/${name}/releases`
  const entries = rows.map((each) => ({ ...activityEntry(from.host, each), title: each.title }))
  const title = `Releases of ${owner.name}/${name}`
  return feedAs(format, { self: `${page}.${format}`, page, title, author: owner.name, entries })
}

const ofReleases = {
  summary: 'The newest releases of a repository that are no drafts, as a feed',
  access: releasesSeen(),
} as const

export const getReleasesRss = route('GET /{owner}/{repo}/releases.rss', {
  ...ofReleases,
  ...sends('rss'),
  handler: (context) => releasesFeed(context, 'rss'),
})

export const getReleasesAtom = route('GET /{owner}/{repo}/releases.atom', {
  ...ofReleases,
  ...sends('atom'),
  handler: (context) => releasesFeed(context, 'atom'),
})

/** @throws Problem 404, 503 */
async function tagsFeed(context: CodeContext, format: FeedFormat): Promise<string> {
  const code = await openCode(context)
  const { name, owner } = context.caller.repo
  const page = `${code.home}/tags`
  const title = `Tags of ${owner.name}/${name}`
  const entries = await tagEntries(code, maximum)
  return feedAs(format, { self: `${page}.${format}`, page, title, author: owner.name, entries })
}

const ofTags = {
  summary: 'The newest tags of a repository, as a feed',
  access: codeSeen(),
} as const

export const getTagsRss = route('GET /{owner}/{repo}/tags.rss', {
  ...ofTags,
  ...sends('rss'),
  handler: (context) => tagsFeed(context, 'rss'),
})

export const getTagsAtom = route('GET /{owner}/{repo}/tags.atom', {
  ...ofTags,
  ...sends('atom'),
  handler: (context) => tagsFeed(context, 'atom'),
})

/** @throws Problem 404, 503 */
async function branchFeed(context: CodeContext, branch: string, format: FeedFormat): Promise<string> {
  const code = await openCode(context)
  const entries = await commitEntries(code, found(await commitOfBranch(code, branch)), maximum)
  const { name, owner } = context.caller.repo
  const path = `branch/${escapeSegments(branch)}`
  const self = `${code.home}/${format}/${path}`
  const title = `Commits of ${branch} · ${owner.name}/${name}`
  return feedAs(format, { self, page: `${code.home}/commits/${path}`, title, author: owner.name, entries })
}

const ofBranch = {
  summary: 'The newest commits of a branch, as a feed',
  access: codeSeen(),
} as const

export const getBranchRss = route('GET /{owner}/{repo}/rss/branch/{branch...}', {
  ...ofBranch,
  ...sends('rss'),
  handler: ({ params, ...context }) => branchFeed(context, params.branch, 'rss'),
})

export const getBranchAtom = route('GET /{owner}/{repo}/atom/branch/{branch...}', {
  ...ofBranch,
  ...sends('atom'),
  handler: ({ params, ...context }) => branchFeed(context, params.branch, 'atom'),
})

type OfAccount = HandlerBase<PageTools> & { caller: OnSubject }

async function accountFeed({ caller, sql, from }: OfAccount, format: FeedFormat): Promise<string> {
  const { name } = caller.subject
  const rows = await shownActivity(sql, caller, maximum)
  const entries = rows.map((each) => {
    const entry = activityEntry(from.host, each)
    return { ...entry, title: `${each.owner}/${each.name} · ${entry.title}` }
  })
  const page = from.host + name
  return feedAs(format, { self: `${page}.${format}`, page, title: name, author: name, entries })
}

const ofAccount = {
  summary:
    'The newest public repositories of an account, and what it has opened and published in public ones, as a feed',
  access: userSeen('user'),
} as const

export const getAccountRss = route('GET /{username}.rss', {
  ...ofAccount,
  ...sends('rss'),
  handler: (context) => accountFeed(context, 'rss'),
})

export const getAccountAtom = route('GET /{username}.atom', {
  ...ofAccount,
  ...sends('atom'),
  handler: (context) => accountFeed(context, 'atom'),
})
