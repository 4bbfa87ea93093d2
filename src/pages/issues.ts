import { issuesSeen } from '../forge/issues/access.ts'
import { peopleIn } from '../forge/issues/events.ts'
import { type Issue, printIssue } from '../forge/issues/issue.shape.ts'
import { filterOf, labelNames } from '../forge/issues/issue-filter.ts'
import { pageOfIssues } from '../forge/issues/issue-list.ts'
import { viewOf } from '../forge/issues/issue-view.ts'
import { queryText, queryTrimmed, queryWord } from '../forge/protocol/query.ts'
import { pageQuery } from '../http/route/page.ts'
import { counted, type Html, html, timeOf } from './html.ts'
import { labelBadges } from './label-badges.ts'
import { listOf, page, pageLinks } from './layout.ts'
import { pageReply } from './profile.ts'
import { repositoryTitle } from './repository-title.ts'
import { route } from './route.ts'
import { viewerOf } from './session/viewer.ts'

const states = ['open', 'closed', 'all'] as const

export const getIssuesPage = route('GET /{owner}/{repo}/issues', {
  summary: 'Issues of a repository, newest first, as a page',
  access: issuesSeen(),
  query: { state: queryWord(...states), labels: queryText, q: queryTrimmed, page: pageQuery().page },
  ...pageReply,
  handler: async ({ caller, query, sql, from: { host } }) => {
    const { owner, name, id } = caller.repo
    const filter = filterOf({ ...query, since: '', before: '' })
    const paging = { page: query.page, limit: 50 }
    const wanted = { repository: id, labels: labelNames(query.labels), ...filter }
    const { rows, total } = await pageOfIssues(sql, wanted, paging)
    const people = await peopleIn(sql, rows)
    const issues = rows.map((row) => printIssue(row, people, viewOf(caller, host)))
    const here = (more: Readonly<Record<string, string>>) => {
      const { labels, q } = query
      return `${host}${owner.name}/${name}/issues?${new URLSearchParams({ state: filter.state, labels, q, ...more })}`
    }
    const links = {
      page: paging.page,
      hasNext: paging.page * paging.limit < total,
      address: (each: number) => here({ page: String(each) }),
    }
    const main = html`${await repositoryTitle({ host, sql, caller, current: 'issues' })}
<p class="actions">${states.map((state) => html`<a href="${here({ state })}"${state === filter.state ? html` aria-current="true"` : undefined}>${state}</a>`)}</p>
<section class="card" aria-labelledby="issues">
<h2 id="issues">${counted(total, 'issue')}</h2>
${listOf(issues.map(issueEntry), 'There are none of this kind. Issues are opened through the API.')}
</section>
${pageLinks(links)}`
    return page({ host, viewer: viewerOf(caller), title: `Issues · ${owner.name}/${name}`, main })
  },
})

function issueEntry({ html_url, title, number, state, labels, user, created_at, comments }: Issue): Html {
  return html`
<li><div class="row"><h3><a href="${html_url}">${title}</a></h3> <span>${labelBadges(labels)} <span class="badge">${state}</span></span></div>
<p class="meta">#${number} by ${user.login} ${timeOf(created_at)} · ${counted(comments, 'comment')}</p></li>`
}
