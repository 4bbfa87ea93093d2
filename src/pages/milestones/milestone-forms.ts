import * as v from 'valibot'
import { Milestone } from '../../forge/milestones/milestone.shape.ts'
import {
  issueCreateMilestone,
  issueDeleteMilestone,
  issueEditMilestone,
  issueGetMilestone,
} from '../../forge/milestones/milestones.ts'
import { numberParam } from '../../forge/protocol/query.ts'
import type { SignedInOnRepository } from '../../forge/repos/access.ts'
import { issueWriter } from '../../forge/repos/issue-access.ts'
import { textAs } from '../../http/route/sends.ts'
import { askedForm, buttonForm, type Fields, opened, unknownAction } from '../form.ts'
import { html } from '../html.ts'
import { endOfDay } from '../issues/plan-fields.ts'
import { describedFields, type FieldDescription, valuesIn } from '../operations/described.ts'
import { noticeOf } from '../operations/fields.ts'
import { type Asked, operationForm, replyToForm } from '../operations/form.ts'
import { newFormId } from '../operations/once.ts'
import { forPages, type OnRequest, read } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import { htmlType } from '../profile.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { route } from '../route.ts'
import { orSignIn } from '../session/session.ts'

const shown = { access: orSignIn(forPages(issueWriter())), returns: textAs(200, htmlType) } as const

export const getNewMilestonePage = route('GET /{owner}/{repo}/milestones/new', {
  ...shown,
  summary: 'The form that makes a milestone',
  handler: ({ caller }) => newPage(caller, {}),
})

export const createMilestoneByPage = route('POST /{owner}/{repo}/milestones/new', {
  ...operationForm(issueWriter()),
  summary: 'Make a milestone',
  handler: ({ caller: sender, body }) =>
    replyToForm(sender, body, {
      ask: ({ repo }) => ({
        calls: [[issueCreateMilestone, { params: paramsOf(repo), body: newMilestoneIn(body) }]],
        isAtomic: true,
        leadsTo: ([made]) => pathOf(repo, v.parse(Milestone, made).id),
        blame,
      }),
      again: (caller, refusal) => newPage(caller, body, refusal),
    }),
})

export const getMilestoneEditPage = route('GET /{owner}/{repo}/milestones/{id}/edit', {
  ...shown,
  summary: 'The forms that change, close and delete a milestone',
  params: { id: numberParam },
  handler: ({ caller, params }) => editPage(caller, params.id, {}),
})

export const changeMilestoneByPage = route('POST /{owner}/{repo}/milestones/{id}/edit', {
  ...operationForm(issueWriter()),
  summary: 'Change, close, open or delete a milestone',
  params: { id: numberParam },
  fails: [400, 404],
  handler: ({ caller: sender, body, params }) =>
    replyToForm(sender, body, {
      ask: (caller) => askedOf(caller.repo, params.id, body),
      again: (caller, refusal) => editPage(caller, params.id, body, refusal),
    }),
})

const fields: readonly FieldDescription[] = [
  { name: 'title', label: 'Title' },
  { name: 'description', label: 'Description', kind: 'long', hint: 'Markdown', isOptional: true },
  { name: 'due_on', label: 'Due', kind: 'date', isOptional: true },
]

const blame = { title: /title/i, description: /description/i, due_on: /due|deadline/i }

type Repo = SignedInOnRepository['repo']
type Writer = SignedInOnRepository & OnRequest

const paramsOf = ({ owner, name }: Repo) => ({ owner: owner.name, repo: name })

const pathOf = ({ owner, name }: Repo, id: number | string) => `${owner.name}/${name}/milestone/${id}`

/** A milestone is due at the end of its day; "": on none. */
function milestoneIn(sent: Fields) {
  const { due_on = '' } = sent
  const due = /^\d{4}-\d\d-\d\d$/.test(due_on) ? endOfDay(due_on) : due_on
  return valuesIn(fields, { ...sent, due_on: due })
}

/** A new one that is due on no day does not name it. */
function newMilestoneIn(sent: Fields) {
  const { due_on, ...texts } = milestoneIn(sent)
  return due_on === '' ? texts : { ...texts, due_on }
}

/** @throws Problem 400 an unknown action */
function askedOf(repo: Repo, id: string, sent: Fields): Asked {
  const params = { ...paramsOf(repo), id }
  const edit = (body: object): Asked => ({
    calls: [[issueEditMilestone, { params, body }]],
    leadsTo: pathOf(repo, id),
    blame,
  })
  switch (sent.action) {
    case 'edit':
      return edit(milestoneIn(sent))
    case 'close':
      return edit({ state: 'closed' })
    case 'open':
      return edit({ state: 'open' })
    case 'delete':
      return {
        calls: [[issueDeleteMilestone, { params }]],
        leadsTo: `${repo.owner.name}/${repo.name}/milestones`,
      }
    default:
      throw unknownAction()
  }
}

const homeOf = ({ request, repo }: Writer) => `${request.from.host}${repo.owner.name}/${repo.name}`

function newPage(caller: Writer, values: Fields, refusal?: Refusal): Promise<string> {
  const main = html`<h2>New milestone</h2>
${noticeOf(undefined, refusal)}
<div class="card">${opened(`${homeOf(caller)}/milestones/new`, newFormId())}
${describedFields(fields, { values, refusal, first: 'title' })}
<button>Make the milestone</button></form></div>`
  return pageOf(caller, 'New milestone', main)
}

/** @throws Problem 404 */
async function editPage(caller: Writer, id: string, values: Fields, refusal?: Refusal): Promise<string> {
  const params = { ...paramsOf(caller.repo), id }
  const stored = await read(caller, issueGetMilestone, Milestone, { params })
  const { title, description, due_on, state } = stored
  const address = `${homeOf(caller)}/milestones/${stored.id}/edit`
  const written =
    values.action === 'edit' ? values : { title, description, due_on: due_on?.slice(0, 10) ?? '' }
  const switching =
    state === 'open'
      ? buttonForm(address, 'Close it', 'Close it: the milestone', { action: 'close' })
      : buttonForm(address, 'Open it again', 'Open it again: the milestone', { action: 'open' })
  const main = html`<h2>Change ${title}</h2>
${noticeOf(undefined, refusal)}
<div class="card">${opened(address, { action: 'edit' })}
${describedFields(fields, { values: written, refusal })}
<button>Save</button></form></div>
<div class="actions">${switching}
${askedForm({
  address,
  text: 'Delete',
  label: `Delete ${title}`,
  question: `Delete ${title}? Its issues stay. Nobody can undo this.`,
  answer: 'Delete the milestone',
  fields: { action: 'delete' },
})}</div>`
  return pageOf(caller, `Change ${title}`, main)
}

function pageOf(caller: Writer, title: string, main: ReturnType<typeof html>): Promise<string> {
  const { from, sql } = caller.request
  return repositoryPage({ host: from.host, sql, caller, current: 'issues', title, main })
}
