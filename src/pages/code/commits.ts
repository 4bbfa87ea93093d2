import * as v from 'valibot'
import { escapeSegments } from '../../forge/protocol/escape-segments.ts'
import { queryChoice, queryText } from '../../forge/protocol/query.ts'
import { codeSeen } from '../../forge/repos/access.ts'
import {
  type Code,
  type CodeContext,
  gitValue,
  openCode,
  type Place,
  placeIn,
} from '../../forge/repos/code.ts'
import { isStoredPath } from '../../git/program/names.ts'
import { type Commit, type CommitSearch, listCommits } from '../../git/repository/history.ts'
import { commitOfId, objectAt } from '../../git/repository/revisions.ts'
import { notFound } from '../../http/route/problem.ts'
import { type Html, html } from '../html.ts'
import { type FeedLink, pageLinks } from '../layout.ts'
import { pageReply } from '../profile.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { route } from '../route.ts'
import { inClone } from './code-tools.ts'
import { commitList } from './commit-list.ts'
import { commandOf, commitSearchForm, searchIn } from './commit-search.ts'
import { addressOf, stepsTo } from './folder.ts'
import { refMenu } from './ref-menu.ts'

/** Commits on a page, and the last page: git reads all commits before the first that is shown. */
const maximum = { commits: 50, pages: 2000 }

const pageNumber = v.optional(
  v.pipe(
    v.unknown(),
    v.transform((value) => (/^\d{1,6}$/.test(String(value)) ? Number(value) : 1)),
    v.number(),
    v.transform((number) => Math.min(Math.max(number, 1), maximum.pages)),
  ),
  1,
)

/** The last part of a path that names a search, not a file: that of the original. */
const searchName = 'search'

export const getCommitsPage = route('GET /{owner}/{repo}/commits/{kind}/{path...}', {
  summary:
    'The commits of a branch or tag, or from one backwards, those of them that change a file or folder, or those that a search finds (`/search?q=`), of all branches with `all`, newest first, as a page',
  access: codeSeen(),
  query: { page: pageNumber, find: queryText, q: queryText, all: queryChoice('on', 'true') },
  ...pageReply,
  handler: async ({ params, query, ...context }) => {
    const { host } = context.from
    const code = await openCode(context)
    const named = await placeIn(code, params.kind, params.path)
    const isSearch = await namesSearch(code, named, query.q)
    const place = isSearch ? { ...named, path: '' } : named
    const { title, meta, list } = isSearch
      ? await foundCommits(context, code, place, query)
      : await commitsOf(context, code, place, query)
    const main = html`<div class="title"><div class="place">${await refMenu(code, place, 'commits', query.find)}${stepsTo(code, place)}</div>
<p class="meta">${meta}</p></div>
${place.path === '' ? commitSearchForm(code, place, query) : undefined}
${list}`
    return repositoryPage({ ...context, host, current: '', title, main, ...feedOf(code, place) })
  },
})

/** The feed of a branch; of no other place. */
const feedOf = (code: Code, { name, path }: Place): { feed?: FeedLink } =>
  name.startsWith('branch/') && path === ''
    ? { feed: { title: 'Commits', addressOf: (format) => `${code.home}/${format}/${escapeSegments(name)}` } }
    : {}

/** Whether an address asks for a search, and not for the commits of a file that is called so. @throws Problem 503 */
async function namesSearch(code: Code, { commit, path }: Place, q: string): Promise<boolean> {
  if (path !== searchName) return false
  return q !== '' || gitValue(await objectAt(code, commit, path)) === undefined
}

interface Shown {
  title: string
  meta: string
  list: Html
}

type Query = Readonly<{ page: number; q: string; all: string }>

/** The commits of a place. @throws Problem 404 no commit changes the path, 503 */
async function commitsOf(context: CodeContext, code: Code, place: Place, { page }: Query): Promise<Shown> {
  const { path } = place
  if (path !== '' && !isStoredPath(path)) throw notFound()
  const listed = gitValue(await commitsAt(code, place, page))
  if (path !== '' && page === 1 && listed.length === 0) throw notFound()
  return {
    title: `Commits of ${path || place.ref}`,
    meta: `Commits${path === '' ? '' : ' that change it'}, newest first`,
    list: await listWithLinks(context, code, listed, {
      page,
      address: addressOf(code, 'commits', place.name, path),
    }),
  }
}

/** The commits that a search finds. @throws Problem 404, 503 */
async function foundCommits(context: CodeContext, code: Code, place: Place, query: Query): Promise<Shown> {
  const { page, q } = query
  const isEverywhere = query.all !== ''
  const address = addressOf(code, 'commits', place.name, searchName)
  const shown = (list: Html): Shown => ({
    title: `Commits · ${q.slice(0, 50)}`,
    meta: `Commits${isEverywhere ? ' of all branches' : ''} that are found, newest first`,
    list,
  })
  const search = searchIn(q, isEverywhere)
  if (!search.ok) return shown(html`<p class="empty">${search.fault}</p>`)
  const named = page === 1 ? await commitNamedBy(code, q) : undefined
  const read = await commitsAt(code, place, page, search.value)
  if (!read.ok && read.fault.kind === 'late')
    return shown(
      inClone(
        'Reading all of these commits takes longer than a page may take.',
        commandOf(search.value, place),
      ),
    )
  const listed = gitValue(read)
  const all = named ? [named, ...listed.filter(({ id }) => id !== named.id)] : listed
  return shown(
    await listWithLinks(context, code, all, { page, address, query: { q, all: isEverywhere ? 'on' : '' } }),
  )
}

/** The commit with an id, or its first digits. @throws Problem 503 */
async function commitNamedBy(code: Code, q: string): Promise<Pick<Commit, 'id'> | undefined> {
  const id = /^[0-9a-f]{7,64}$/.test(q) ? gitValue(await commitOfId(code, q)) : undefined
  return id === undefined ? undefined : { id }
}

const skippedBefore = (page: number) => (page - 1) * maximum.commits

/** The commits of a page, and one more if there is another page. Faults: those of git. */
const commitsAt = (code: Code, { commit, path }: Place, page: number, search?: CommitSearch) =>
  listCommits(code, {
    ...{ after: commit, path, skip: skippedBefore(page), maxCommits: maximum.commits + 1 },
    ...(search ? { search } : {}),
  })

/** @throws Problem 404, 503 */
async function listWithLinks(
  context: CodeContext,
  code: Code,
  commits: readonly Pick<Commit, 'id'>[],
  { page, address, query = {} }: { page: number; address: string; query?: Readonly<Record<string, string>> },
): Promise<Html> {
  const total = Math.min(skippedBefore(page) + commits.length, maximum.pages * maximum.commits)
  const ids = commits.slice(0, maximum.commits).map(({ id }) => id)
  return html`${await commitList(context, code, ids)}
${pageLinks({ page, limit: maximum.commits, total }, address, query)}`
}
