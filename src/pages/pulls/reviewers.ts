import { pageOfReviewers } from '../../forge/issues/assignee-store.ts'
import { peopleIn } from '../../forge/issues/people.ts'
import { pageOfTeams } from '../../forge/orgs/team-store.ts'
import { LEVELS } from '../../forge/permissions/access-level-store.ts'
import { decisionsOn } from '../../forge/pulls/merging/merge-facts-store.ts'
import { buttonForm, choice, opened, opener } from '../form.ts'
import { type Html, html } from '../html.ts'
import { addressesOf, type IssueContext } from '../issues/issue-context.ts'
import { mayEdit, rightsOn } from '../issues/rights.ts'
import { card, listOf } from '../layout.ts'
import type { ShownPull } from './frame.ts'

/** How many people and teams the form offers. */
const maximum = 50

/** Who is asked for a review and who has decided, and the forms that ask somebody and withdraw it. */
export async function reviewersSection(context: IssueContext, shown: ShownPull): Promise<Html> {
  const { caller } = context
  const { pull, row } = shown
  const { address } = addressesOf(context, row)
  const mayAsk = pull.state === 'open' && mayEdit(rightsOn(caller), caller, row.poster_id)
  const asked = [
    ...pull.requested_reviewers.map(({ login }) => [login, login] as const),
    ...pull.requested_reviewers_teams.map(({ name }) => [`team:${name}`, `the team ${name}`] as const),
  ]
  const requests = asked.map(
    ([value, name]) => html`
<li><div class="row"><span>${name}</span> <span><span class="badge">asked</span> ${mayAsk || value === caller.me?.name ? buttonForm(address, 'Withdraw', `Withdraw the request to ${name}`, { action: 'withdraw', reviewer: value }) : undefined}</span></div></li>`,
  )
  const rows = [...(await decisionEntries(context, row.id)), ...requests]
  const ask = mayAsk ? await askForm(context, shown, address) : undefined
  return card('reviewers', 'Reviewers')`${listOf(rows, 'Nobody is asked for a review.')}
${ask}`
}

async function decisionEntries({ sql }: IssueContext, issue: number): Promise<Html[]> {
  const decisions = await decisionsOn(sql, issue)
  const people = await peopleIn(
    sql,
    decisions.map(({ reviewer_id: poster_id }) => ({ poster_id })),
  )
  return decisions.map(({ reviewer_id, state, is_stale, is_official }) => {
    const name = (reviewer_id !== null && people.get(reviewer_id)?.name) || 'Ghost'
    const notes = [is_stale && 'of an earlier state', !is_official && 'does not count'].filter(Boolean)
    const verdict =
      state === 'approve'
        ? html`<span class="badge state good">approved</span>`
        : html`<span class="badge state bad">asks for changes</span>`
    return html`
<li><div class="row"><span>${name}</span> ${verdict}</div>
${notes.length === 0 ? undefined : html`<p class="meta">${notes.join(', ')}</p>`}</li>`
  })
}

async function askForm(
  context: IssueContext,
  { row, pull }: ShownPull,
  address: string,
): Promise<Html | undefined> {
  const { caller, sql } = context
  const first = { page: 1, limit: maximum }
  const { rows } = await pageOfReviewers(sql, caller.repo.id, first)
  const asked = new Set(pull.requested_reviewers.map(({ login }) => login))
  const people = rows.filter(({ id, name }) => id !== row.poster_id && !asked.has(name))
  const options = [
    ...people.map(({ name }) => [name, name] as const),
    ...(await teamsOffered(context)).map((name) => [`team:${name}`, `Team ${name}`] as const),
  ]
  if (options.length === 0) return undefined
  return opener(
    'Ask for a review',
    'Ask for a review',
    html`${opened(address, { action: 'ask' })}
${choice({ name: 'reviewer', label: 'Reviewer', value: '', options })}
<button class="small">Ask</button></form>`,
  )
}

/** The names of the teams of the organization that have the repository, as far as the caller may see them. */
async function teamsOffered({ caller, sql }: IssueContext): Promise<string[]> {
  const { me, subject, repo, is_member } = caller
  if (!me || subject.kind !== 'organization' || !(is_member || repo.level >= LEVELS.admin)) return []
  const seesAll = repo.level >= LEVELS.admin
  const filter = {
    organization: subject.id,
    viewer: me.id,
    seesAll,
    q: '',
    inDescription: false,
    repository: repo.id,
  }
  const { rows } = await pageOfTeams(sql, filter, { page: 1, limit: maximum })
  return rows.map(({ name }) => name)
}
