import * as v from 'valibot'
import { type ListedRun, printRun, type WorkflowRun } from '../forge/actions/run.shape.ts'
import { pageOfRuns } from '../forge/actions/run-list.ts'
import { queryText } from '../forge/protocol/query.ts'
import { actionsSeen } from '../forge/repos/access.ts'
import { repositoryById } from '../forge/repos/repo-store.ts'
import { pageQuery } from '../http/route/page.ts'
import { found } from '../http/route/problem.ts'
import { counted, type Html, html, timeOf } from './html.ts'
import { listOf, page, pageLinks } from './layout.ts'
import { pageReply } from './profile.ts'
import { repositoryTitle } from './repository-title.ts'
import { route } from './route.ts'
import { stateOf, wordOf } from './run-state.ts'
import { viewerOf } from './session/viewer.ts'

const limit = 30

export const getRunsPage = route('GET /{owner}/{repo}/actions', {
  summary: 'The runs of a repository or of one workflow, newest first, as a page',
  access: actionsSeen(),
  query: { workflow: queryText, page: pageQuery().page },
  ...pageReply,
  handler: async ({ caller, query, sql, from: { host } }) => {
    const { owner, name, id } = caller.repo
    const { workflow, page: at } = query
    const paging = { page: at, limit }
    const listing = { scope: { repository: id }, selection: undefined, paging }
    const filter = { event: '', branch: '', actor: undefined, head_sha: '', workflow }
    const { rows, total } = await pageOfRuns(sql, listing, filter)
    const link = (number: number) =>
      `${host}${owner.name}/${name}/actions?${new URLSearchParams({ workflow, page: String(number) })}`
    const main = html`${await repositoryTitle({ host, sql, caller, current: 'actions' })}
<section class="card" aria-labelledby="runs">
<h2 id="runs">${counted(total, 'run')}${workflow === '' ? undefined : html` of ${workflow}`}</h2>
${listOf(
  rows.map((row) => runEntry(row, printRun(row, { viewer: caller.me, host }))),
  'Nothing has run yet. Workflows are files in .gitea/workflows, and start when somebody pushes.',
)}
</section>
${pageLinks({ page: at, hasNext: at * limit < total, address: link })}`
    return page({ host, viewer: viewerOf(caller), title: `Actions · ${owner.name}/${name}`, main })
  },
})

export const getWorkflowBadge = route('GET /{owner}/{repo}/actions/workflows/{badge...}', {
  summary: 'What the newest run of a workflow has come to on a branch, as a picture: `{file}/badge.svg`',
  access: actionsSeen(),
  query: { branch: queryText },
  fails: [404],
  returns: [200, v.string()],
  media: 'image/svg+xml; charset=utf-8',
  handler: async ({ caller, params, query, sql }) => {
    const [, workflow = ''] = found(/^(.+)\/badge\.svg$/.exec(params.badge))
    const { id } = caller.repo
    const branch = query.branch || found(await repositoryById(sql, id)).default_branch
    const listing = { scope: { repository: id }, selection: undefined, paging: { page: 1, limit: 1 } }
    const filter = { event: '', branch, actor: undefined, head_sha: '', workflow }
    const [newest] = (await pageOfRuns(sql, listing, filter)).rows
    const word = newest
      ? wordOf(printRun(newest, { viewer: undefined, host: 'http://localhost/' }))
      : 'no run'
    return badgeOf(workflow.slice(workflow.lastIndexOf('/') + 1), word)
  },
})

function runEntry({ run }: ListedRun, printed: WorkflowRun): Html {
  return html`
<li><div class="row"><h3><a href="${printed.html_url}">${printed.display_title} #${printed.run_number}</a></h3> ${stateOf(printed)}</div>
<p class="meta">${run.workflow_file} · ${printed.event} by ${printed.actor.login} ${timeOf(printed.created_at)}</p></li>`
}

const colours: Readonly<Record<string, string>> = { success: '#1a6e3c', failure: '#a8232c' }

/** A name and a word side by side. The widths are those of usual letters: fonts differ. */
function badgeOf(name: string, word: string): string {
  const [left, right] = [name, word].map((text) => 12 + 7 * Math.min(text.length, 60)) as [number, number]
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${name}: ${word}">
<rect width="${left + right}" height="20" rx="3" fill="#444c5c"/>
<rect x="${left}" width="${right}" height="20" rx="3" fill="${colours[word] ?? '#545d70'}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
<text x="${left / 2}" y="14">${name.slice(0, 60)}</text><text x="${left + right / 2}" y="14">${word}</text></g></svg>
`.text
}
