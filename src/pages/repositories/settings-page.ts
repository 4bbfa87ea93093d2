import { accountById } from '../../forge/accounts/account-store.ts'
import { LEVELS } from '../../forge/permissions/access-level-store.ts'
import type { OnRepository } from '../../forge/repos/access.ts'
import { openCode } from '../../forge/repos/code.ts'
import { printRepository, type Repository } from '../../forge/repos/repo.shape.ts'
import { found } from '../../http/route/problem.ts'
import type { HandlerBase } from '../../http/route/route.ts'
import { buttonForm, type Fields, field, opened, tick } from '../form.ts'
import { type Html, html } from '../html.ts'
import { card } from '../layout.ts'
import { fieldsOf, noticeOf } from '../operations/fields.ts'
import type { OnRequest } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import type { PageTools } from '../route.ts'
import { repositorySection } from './settings-frame.ts'

/** The parts of a repository that can be turned off, by the names of the API. */
export const unitSettings = {
  has_code: 'Code',
  has_issues: 'Issues',
  has_pull_requests: 'Pull requests',
  has_releases: 'Releases',
  has_actions: 'Actions',
} as const

/** How pull requests are merged. */
export const mergeSettings = {
  allow_merge_commits: 'A merge commit',
  allow_rebase: 'Rebase, then fast-forward',
  allow_rebase_explicit: 'Rebase, then a merge commit',
  allow_squash_merge: 'One commit of all changes (squash)',
  allow_fast_forward_only_merge: 'Fast-forward only',
  allow_manual_merge: 'Marked as merged by hand',
  allow_merge_update: 'A branch is updated by a merge',
  allow_rebase_update: 'A branch is updated by a rebase',
  default_delete_branch_after_merge: 'The branch is deleted after the merge',
} as const

type Context = HandlerBase<PageTools> & { caller: OnRepository & OnRequest }

interface Shown {
  done?: string | undefined
  /** A form as it was sent. */
  values?: Fields
  refusal?: Refusal
}

/** The page of the settings of a repository. @throws Problem 404 */
export async function settingsPage(context: Context, { done, values = {}, refusal }: Shown): Promise<string> {
  const { caller, sql, from } = context
  const { host } = from
  const { row } = await openCode(context)
  const owner = found(await accountById(sql, row.owner_id))
  const stored = printRepository(row, owner, { host, level: caller.repo.level, known: false })
  const address = `${host}${stored.full_name}/settings`
  const sent = (action: string) => (values.action === action ? { values, refusal } : {})
  const main = html`${noticeOf(done, refusal)}
<div class="panel">
<div class="column">
${generalForm(address, stored, sent('edit'))}
${topicsForm(address, row.topics, sent('topics'))}
</div>
<div class="column">
${flagsForm(address, { action: 'units', title: 'Parts', names: unitSettings, stored })}
${flagsForm(address, { action: 'merges', title: 'Merging', names: mergeSettings, stored })}
${finalForms(address, { stored, isOwner: caller.repo.level >= LEVELS.owner, values, refusal })}
</div>
</div>`
  return repositorySection(caller, { section: '', title: 'General', main })
}

interface Sent {
  values?: Fields
  refusal?: Refusal | undefined
}

function generalForm(address: string, stored: Repository, { values, refusal }: Sent): Html {
  const { name, description, website, default_branch } = stored
  const fieldOf = fieldsOf(values ?? { name, description, website, default_branch }, refusal)
  const isOn = (flag: 'private' | 'template') => (values ? values[flag] === 'on' : stored[flag])
  return card('general', 'Name and access')`${opened(address, { action: 'edit' })}
${field({ ...fieldOf('name'), label: 'Name', hint: 'The former name leads to the new one.' })}
${field({ ...fieldOf('description'), label: 'Description', isOptional: true })}
${field({ ...fieldOf('website'), label: 'Website', type: 'url', isOptional: true })}
${field({ ...fieldOf('default_branch'), label: 'Default branch', hint: 'A branch that exists' })}
${tick({ name: 'private', label: 'Private', isOn: isOn('private'), hint: 'Only its owner, collaborators and teams see it.' })}
${tick({ name: 'template', label: 'Template', isOn: isOn('template'), hint: 'Others begin repositories with its files.' })}
<button>Save</button></form>`
}

function topicsForm(address: string, topics: readonly string[], { values, refusal }: Sent): Html {
  const fieldOf = fieldsOf(values ?? { topics: topics.join(' ') }, refusal)
  return card('topics-heading', 'Topics')`${opened(address, { action: 'topics' })}
${field({ ...fieldOf('topics'), label: 'Topics', isOptional: true, hint: 'Words with spaces between them, 25 at most' })}
<button>Save the topics</button></form>`
}

interface Flags {
  action: string
  title: string
  names: Readonly<Record<string, string>>
  stored: Repository
}

/** A form of boxes that switch settings. */
function flagsForm(address: string, { action, title, names, stored }: Flags): Html {
  const isOn: Readonly<Record<string, unknown>> = { ...stored }
  return card(action, title)`${opened(address, { action })}
${Object.entries(names).map(([name, label]) => tick({ name, label, isOn: isOn[name] === true }))}
<button>Save</button></form>`
}

interface Final extends Sent {
  stored: Repository
  isOwner: boolean
}

/** Archives the repository; its owners also give it away and delete it. */
function finalForms(address: string, { stored, isOwner, values = {}, refusal }: Final): Html {
  const { full_name, archived } = stored
  const fieldOf = fieldsOf(values, refusal)
  const archiving = archived
    ? buttonForm(address, 'End the archive', 'Let people write to it again', { action: 'restore' })
    : buttonForm(address, 'Archive', 'Archive: nobody writes to it any more', { action: 'archive' })
  return card('final', 'Archive, transfer, delete')`${archiving}
${
  isOwner
    ? html`${opened(address, { action: 'transfer' })}
${field({ ...fieldOf('new_owner'), label: 'New owner', hint: 'Who must accept it, unless you may create repositories there.' })}
<button class="quiet">Transfer</button></form>
${opened(address, { action: 'delete' })}
${field({ ...fieldOf('confirmation'), label: `Write ${full_name} to delete it`, hint: 'Its code, issues and runs are deleted, too. Nobody can undo this.' })}
<button class="admin-danger">Delete the repository</button></form>`
    : undefined
}`
}
