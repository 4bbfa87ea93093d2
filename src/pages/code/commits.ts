import * as v from 'valibot'
import { gitValue, openCode, placeIn } from '../../forge/code/code.ts'
import { codeSeen } from '../../forge/repos/access.ts'
import { listCommits } from '../../git/repository/history.ts'
import { html } from '../html.ts'
import { page, pageLinks } from '../layout.ts'
import { pageReply } from '../profile.ts'
import { repositoryTitle } from '../repository-title.ts'
import { route } from '../route.ts'
import { viewerOf } from '../session/viewer.ts'
import { commitList } from './commit-list.ts'
import { addressOf } from './folder.ts'

/** Commits on a page, and the last page: git reads all commits before the first that is shown. */
const most = { commits: 50, pages: 2000 }

const pageNumber = v.optional(
  v.pipe(
    v.unknown(),
    v.transform((given) => (/^\d{1,6}$/.test(String(given)) ? Number(given) : 1)),
    v.number(),
    v.transform((number) => Math.min(Math.max(number, 1), most.pages)),
  ),
  1,
)

export const getCommitsPage = route('GET /{owner}/{repo}/commits/{kind}/{path...}', {
  summary: 'The commits of a branch or tag, or from one backwards, newest first, as a page',
  access: codeSeen(),
  query: { page: pageNumber },
  ...pageReply,
  handler: async ({ params, query, ...context }) => {
    const { host } = context.from
    const code = await openCode(context)
    const { name, ref, commit } = await placeIn(code, params.kind, params.path)
    const skip = (query.page - 1) * most.commits
    // One more than is shown: it says whether there is another page.
    const span = { after: commit, skip, maxCommits: most.commits + 1 }
    const listed = gitValue(await listCommits(code, span))
    const here = addressOf(code, 'commits', name)
    const hasNext = listed.length > most.commits && query.page < most.pages
    const main = html`${await repositoryTitle({ ...context, host })}
<h2>Commits of <a href="${addressOf(code, 'src', name)}">${ref}</a></h2>
${commitList(code, listed.slice(0, most.commits))}
${pageLinks({ page: query.page, hasNext, address: (each) => `${here}?page=${each}` })}`
    return page({ host, viewer: viewerOf(context.caller), title: `Commits of ${ref} · ${code.path}`, main })
  },
})
