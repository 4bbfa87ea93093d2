import type { Sql } from '../../db/sql.ts'
import { permits } from '../../forge/auth/scopes.ts'
import { LEVELS } from '../../forge/permissions/access-level-store.ts'
import { escapeSegments } from '../../forge/protocol/escape-segments.ts'
import { transferOf } from '../../forge/repo-lifecycle/transfer-store.ts'
import type { OnRepository } from '../../forge/repos/access.ts'
import { printedParents } from '../../forge/repos/parents.ts'
import type { Repository } from '../../forge/repos/repo-store.ts'
import { isStarred } from '../../forge/stars/star-store.ts'
import { watchOf } from '../../forge/watching/watch-store.ts'
import { buttonForm, field, opened, opener } from '../form.ts'
import { type Html, html, withQuery } from '../html.ts'
import { ownerChoice } from './owners.ts'

interface ReaderForms {
  sql: Sql
  host: string
  caller: OnRepository
  /** How many have starred and watch it. */
  counts: { stars: number; watchers: number }
  isTemplate: boolean
  /** The default branch of a fork, for those who may write to it. */
  forkBranch: string | undefined
}

/** What everybody who is signed in does with a repository: star and watch it, fork it, and begin another one from it. */
export async function readerForms(parts: ReaderForms): Promise<Html | undefined> {
  const { sql, host, caller, counts, isTemplate, forkBranch } = parts
  const { me, token, repo } = caller
  if (!me || (token && !permits(token.scopes, ['repository', 'user'], 'write'))) return undefined
  const path = `${repo.owner.name}/${repo.name}`
  const address = host + path
  const [starred, watched, offer] = await Promise.all([
    isStarred(sql, repo.id, me.id),
    watchOf(sql, repo.id, me.id),
    transferOf(sql, repo.id, me.id),
  ])
  const star = starred ? (['unstar', 'Unstar'] as const) : (['star', 'Star'] as const)
  const watch = watched ? (['unwatch', 'Unwatch'] as const) : (['watch', 'Watch'] as const)
  return html`${offer && offerForms(address, offer.is_recipient, repo.level >= LEVELS.owner)}<div class="actions reader-forms">
${buttonForm(address, `${star[1]} ${counts.stars}`, `${star[1]}, ${counts.stars} have starred it`, { action: star[0] })}
${buttonForm(address, `${watch[1]} ${counts.watchers}`, `${watch[1]}, ${counts.watchers} watch it`, { action: watch[0] })}
${repo.has_code ? await forkForm(sql, me, { address, name: repo.name }) : undefined}
${forkBranch === undefined ? undefined : buttonForm(address, 'Update the fork', `Bring what is new in the original into ${forkBranch}`, { action: 'update', branch: forkBranch })}
${isTemplate ? html`<a class="button quiet" href="${withQuery(`${host}repo/create`, { template: path })}">Use this template</a>` : undefined}
</div>`
}

/** For whom a repository is offered to, and for its owner; nothing for others. */
function offerForms(address: string, isRecipient: boolean, isOwner: boolean): Html | undefined {
  if (isRecipient)
    return html`<p class="notice" role="note">This repository is offered to you.</p>
<div class="actions">${buttonForm(address, 'Accept it', 'Accept the repository', { action: 'accept' })}
${buttonForm(address, 'Refuse it', 'Refuse the repository', { action: 'reject' })}</div>
`
  if (!isOwner) return undefined
  return html`<p class="notice" role="note">This repository is offered to somebody, who has not answered yet.</p>
<div class="actions">${buttonForm(address, 'Withdraw the offer', undefined, { action: 'reject' })}</div>
`
}

async function forkForm(
  sql: Sql,
  me: OnRepository['me'] & {},
  { address, name }: { address: string; name: string },
): Promise<Html> {
  return opener(
    'Fork',
    'Fork this repository',
    html`${opened(address, { action: 'fork' })}
${await ownerChoice(sql, me, { label: 'Owner of the fork' })}
${field({ name: 'name', label: 'Name', value: name, autocomplete: 'off' })}
<button class="small">Fork it</button></form>`,
  )
}

/** Of which repository the reader sees that this one is a fork, and the way to propose its commits there; nothing for others. */
export async function forkLine(
  { sql, host, caller }: Pick<ReaderForms, 'sql' | 'host' | 'caller'>,
  row: Pick<Repository, 'parent_id' | 'default_branch' | 'is_empty'>,
): Promise<Html | undefined> {
  if (row.parent_id === null) return undefined
  const parent = (await printedParents(sql, caller, { rows: [row], host })).get(row.parent_id)
  if (!parent) return undefined
  const span = escapeSegments(`${parent.default_branch}...${caller.repo.owner.name}:${row.default_branch}`)
  const proposes = caller.me && caller.repo.has_code && !row.is_empty && parent.has_pull_requests
  return html`<p class="meta">Fork of <a href="${parent.html_url}">${parent.full_name}</a>${proposes ? html` · <a href="${parent.html_url}/compare/${span}?expand=1">Propose its commits to ${parent.full_name}</a>` : undefined}</p>`
}
