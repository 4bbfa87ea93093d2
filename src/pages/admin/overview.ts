import * as v from 'valibot'
import { getAdminRunners } from '../../forge/actions/runners.ts'
import { listAdminWorkflowRuns } from '../../forge/actions/runs.ts'
import { getAdminVariablesList } from '../../forge/actions/variables.ts'
import { adminCronList } from '../../forge/admin/cron.ts'
import { adminListMails } from '../../forge/admin/mails.ts'
import { adminListHooks } from '../../forge/hooks/hooks.ts'
import { adminGetAllOrgs } from '../../forge/orgs/orgs.ts'
import { adminListPackages } from '../../forge/packages/packages.ts'
import type { ForgeTools } from '../../forge/route.ts'
import { adminListBadges } from '../../forge/users/badges.ts'
import { adminGetAllEmails } from '../../forge/users/emails.ts'
import { adminSearchUsers } from '../../forge/users/users.ts'
import type { Query } from '../../http/route/query.ts'
import type { Route } from '../../http/route/route.ts'
import { int } from '../../http/route/values.ts'
import { countOpenSessions } from '../../site/session-store.ts'
import { html, type Piece } from '../html.ts'
import { read } from '../operations/perform.ts'
import { route } from '../route.ts'
import type { Administrator } from './administrator.ts'
import { adminPage, sections } from './frame.ts'
import { adminReply } from './reply.ts'
import { stateSection } from './state.ts'

export const getAdminPage = route('GET /-/admin', {
  ...adminReply,
  summary: 'The state of the site, and the sections of the administration with their numbers, as a page',
  handler: async ({ caller, sql, from: { host } }) => {
    const [counts, sessions] = await Promise.all([countsOf(caller), countOpenSessions(sql)])
    const figures: Readonly<Record<string, Piece>> = { ...counts, sessions }
    // The menu on the side leads to the sections that have no number.
    const main = html`${await stateSection(caller)}
<ul class="admin-cards">${Object.entries(sections).map(([name, title]) =>
      figures[name] === undefined
        ? undefined
        : html`
<li class="card"><h2><a href="${host}-/admin/${name}">${title}</a></h2>
<p class="admin-figure">${figures[name]}</p></li>`,
    )}</ul>`
    return adminPage({ caller, title: 'Administration', main })
  },
})

/** By section, the operation whose list has the number that the page shows. */
const lists: readonly (readonly [string, Route<ForgeTools>, Query?])[] = [
  ['users', adminSearchUsers],
  ['organizations', adminGetAllOrgs],
  ['emails', adminGetAllEmails],
  ['runners', getAdminRunners],
  ['variables', getAdminVariablesList],
  ['tasks', adminCronList],
  ['webhooks', adminListHooks, { type: 'all' }],
  ['mails', adminListMails],
  ['runs', listAdminWorkflowRuns],
  ['packages', adminListPackages],
  ['badges', adminListBadges],
]

const Total = v.object({ total: int })

async function countsOf(caller: Administrator): Promise<Record<string, number>> {
  const counts = lists.map(async ([section, operation, query]) => {
    const { total } = await read(caller, operation, Total, { query: { limit: '1', ...query } })
    return [section, total] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}
