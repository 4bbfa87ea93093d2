import { printRun } from '../../forge/actions/run.shape.ts'
import { pageOfRuns } from '../../forge/actions/run-list-store.ts'
import { queryText } from '../../forge/protocol/query.ts'
import { actionsSeen } from '../../forge/repos/access.ts'
import { repositoryById } from '../../forge/repos/repo-store.ts'
import { found } from '../../http/route/problem.ts'
import { textAs } from '../../http/route/sends.ts'
import { html } from '../html.ts'
import { route } from '../route.ts'
import { wordOf } from './run-state.ts'

export const getWorkflowBadge = route('GET /{owner}/{repo}/actions/workflows/{badge...}', {
  summary:
    'Badge with the result of the newest run of a workflow on a branch, of one event if that is given: `{file}/badge.svg`',
  access: actionsSeen(),
  query: { branch: queryText, event: queryText, style: queryText },
  fails: [404],
  returns: textAs(200, 'image/svg+xml; charset=utf-8'),
  handler: async ({ caller, params, query: { event, style, ...query }, sql }) => {
    const [, workflow = ''] = found(/^(.+)\/badge\.svg$/.exec(params.badge))
    const { id } = caller.repo
    const branch = query.branch || found(await repositoryById(sql, id)).default_branch
    const listing = { scope: { repository: id }, selection: undefined, paging: { page: 1, limit: 1 } }
    const filter = { event, branch, actor: undefined, head_sha: '', workflow }
    const [newest] = (await pageOfRuns(sql, listing, filter)).rows
    const word = newest
      ? wordOf(printRun(newest, { viewer: undefined, host: 'http://localhost/' }))
      : 'no run'
    // Of the two styles of the original, `flat` is that of all other words.
    return badgeOf(workflow.slice(workflow.lastIndexOf('/') + 1), word, style === 'flat-square' ? 0 : 3)
  },
})

const colours: Readonly<Record<string, string>> = { success: '#1a6e3c', failure: '#a8232c' }

/** A name and a word side by side, with corners of this radius. The widths are those of usual letters: fonts differ. */
function badgeOf(name: string, word: string, radius: number): string {
  const [left, right] = [name, word].map((text) => 12 + 7 * Math.min(text.length, 60)) as [number, number]
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${name}: ${word}">
<rect width="${left + right}" height="20" rx="${radius}" fill="#444c5c"/>
<rect x="${left}" width="${right}" height="20" rx="${radius}" fill="${colours[word] ?? '#545d70'}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
<text x="${left / 2}" y="14">${name.slice(0, 60)}</text><text x="${left + right / 2}" y="14">${word}</text></g></svg>
`.text
}
