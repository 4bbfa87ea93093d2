import * as v from 'valibot'
import { queryText } from '../../forge/protocol/query.ts'
import { codeSeen } from '../../forge/repos/access.ts'
import { type Code, gitValue, openCode, type Place, placeIn } from '../../forge/repos/code.ts'
import { isStoredPath } from '../../git/program/names.ts'
import { type Commit, listCommits } from '../../git/repository/history.ts'
import { notFound } from '../../http/route/problem.ts'
import { html } from '../html.ts'
import { pageLinks } from '../layout.ts'
import { pageReply } from '../profile.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { route } from '../route.ts'
import { commitList } from './commit-list.ts'
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

export const getCommitsPage = route('GET /{owner}/{repo}/commits/{kind}/{path...}', {
  summary:
    'The commits of a branch or tag, or from one backwards, or those of them that change a file or folder, newest first, as a page',
  access: codeSeen(),
  query: { page: pageNumber, find: queryText },
  ...pageReply,
  handler: async ({ params, query, ...context }) => {
    const { host } = context.from
    const code = await openCode(context)
    const place = await placeIn(code, params.kind, params.path)
    const listed = await commitsAt(code, place, query.page)
    const address = addressOf(code, 'commits', place.name, place.path)
    const total = Math.min(skippedBefore(query.page) + listed.length, maximum.pages * maximum.commits)
    const main = html`<div class="title"><div class="place">${await refMenu(code, place, 'commits', query.find)}${stepsTo(code, place)}</div>
<p class="meta">Commits${place.path === '' ? undefined : ' that change it'}, newest first</p></div>
${await commitList(
  context,
  code,
  listed.slice(0, maximum.commits).map(({ id }) => id),
)}
${pageLinks({ page: query.page, limit: maximum.commits, total }, address)}`
    return repositoryPage({
      ...context,
      host,
      current: '',
      title: `Commits of ${place.path || place.ref}`,
      main,
    })
  },
})

const skippedBefore = (page: number) => (page - 1) * maximum.commits

/**
 * The commits of a page, and one more if there is another page.
 * @throws Problem 404 no commit changes the path, 503
 */
async function commitsAt(code: Code, { commit, path }: Place, page: number): Promise<Commit[]> {
  if (path !== '' && !isStoredPath(path)) throw notFound()
  const span = { after: commit, path, skip: skippedBefore(page), maxCommits: maximum.commits + 1 }
  const listed = gitValue(await listCommits(code, span))
  if (path !== '' && page === 1 && listed.length === 0) throw notFound()
  return listed
}
