import type { Issue } from '../../forge/issues/issue.shape.ts'
import { askedForm, buttonForm, field, opened, opener } from '../form.ts'
import { type Html, html, timeOf } from '../html.ts'
import { labelBadges } from './issue-entry.ts'
import type { IssueParts } from './issue-parts.ts'
import { milestoneAddress } from './milestone-entry.ts'
import { assigneeTicks, dueField, labelTicks, milestoneChoice } from './plan-fields.ts'
import type { Rights } from './rights.ts'

interface About {
  /** The addresses of the pages of the repository and of the issue. */
  home: string
  address: string
  issue: Issue
  rights: Rights
  /** What can be chosen; absent: the reader plans nothing. */
  parts: IssueParts | undefined
  /** The facts about related issues. */
  related: Html
  /** Whether the reader is told what happens to it; undefined: nobody is signed in, or their token may not change that. */
  isSubscribed: boolean | undefined
}

/** The facts about an issue, each with the form that changes it for those who may. */
export function aboutSection({ home, address, issue, rights, parts, related, isSubscribed }: About): Html {
  const { labels, milestone, due_date, is_locked, assignees, ref } = issue
  const forms = parts && formsOf(address, issue, parts)
  return html`<section class="card first-on-phones" aria-labelledby="about">
<h2 id="about">About</h2>
<dl class="facts">
<dt>Labels</dt><dd>${labels.length === 0 ? 'none' : labelBadges(labels)}${forms?.labels}</dd>
${milestone === null && !forms ? undefined : html`<dt>Milestone</dt><dd>${milestone === null ? 'none' : html`<a href="${milestoneAddress(home, milestone)}">${milestone.title}</a>`}${forms?.milestone}</dd>`}
${due_date === null && !forms ? undefined : html`<dt>Due</dt><dd>${due_date === null ? 'no day' : timeOf(due_date)}${forms?.due}</dd>`}
${is_locked ? html`<dt>Locked</dt><dd>Only those who may write to the issues comment.</dd>` : undefined}
<dt>Assigned</dt><dd>${assignees.length === 0 ? 'nobody' : assignees.map(({ login, html_url }) => html`<a href="${html_url}">${login}</a> `)}${forms?.assignees}</dd>
${ref === '' ? undefined : html`<dt>Ref</dt><dd>${ref}</dd>`}
${related}
${timesOf(issue)}
</dl>
${isSubscribed === undefined ? undefined : subscription(address, isSubscribed)}
${rights.administers ? administration(address, issue) : undefined}
</section>`
}

const subscription = (address: string, isSubscribed: boolean) =>
  html`<div class="actions">${
    isSubscribed
      ? buttonForm(address, 'Unsubscribe', 'Unsubscribe: no more notifications of this', {
          action: 'unsubscribe',
        })
      : buttonForm(address, 'Subscribe', 'Subscribe: notifications of what happens here', {
          action: 'subscribe',
        })
  }</div>`

const timesOf = ({
  created_at,
  updated_at,
  closed_at,
}: Issue): Html => html`<dt>Opened</dt><dd>${timeOf(created_at)}</dd>
<dt>Changed</dt><dd>${timeOf(updated_at)}</dd>
${closed_at === null ? undefined : html`<dt>Closed</dt><dd>${timeOf(closed_at)}</dd>`}`

/** The forms that plan an issue. Those of lists say what they have shown, so that they change only what differs. */
function formsOf(address: string, issue: Issue, { labels, milestones, people }: IssueParts) {
  const hasLabel = (id: number) => issue.labels.some((each) => each.id === id)
  const assigned = issue.assignees.map(({ login }) => login)
  const shownLabels = [...issue.labels, ...labels.filter(({ id }) => !hasLabel(id))]
  const shownPeople = [...new Set([...assigned, ...people])]
  const titles = [...(issue.milestone ? [issue.milestone] : []), ...milestones]
  const milestone = milestoneChoice(titles, String(issue.milestone?.id ?? 0))
  const change = (action: string, what: string, fields: Html, shown?: string) =>
    opener(
      'Change',
      `Change ${what}`,
      html`${opened(address, { action, shown })}
${fields}
<button class="small">Save</button></form>`,
    )
  return {
    labels: change(
      'labels',
      'the labels',
      labelTicks(shownLabels, hasLabel),
      issue.labels.map(({ id }) => id).join(),
    ),
    assignees: change(
      'assignees',
      'who is assigned',
      assigneeTicks(shownPeople, (name) => assigned.includes(name)),
      assigned.join(),
    ),
    milestone: change('milestone', 'the milestone', milestone),
    due: change('due', 'the day when it is due', dueField(issue.due_date?.slice(0, 10))),
  }
}

/** What administrators of the repository do with an issue. */
function administration(address: string, { is_locked, pin_order, pull_request }: Issue): Html {
  const noun = pull_request ? 'pull request' : 'issue'
  const lock = opener(
    'Lock',
    `Lock this ${noun}`,
    html`${opened(address, { action: 'lock' })}
${field({ name: 'reason', label: 'Reason', isOptional: true, hint: 'Only those who may write to the issues comment then.' })}
<button class="small">Lock</button></form>`,
  )
  return html`<div class="actions">
${is_locked ? buttonForm(address, 'Unlock', `Unlock this ${noun}`, { action: 'unlock' }) : lock}
${pin_order > 1 ? buttonForm(address, 'Pin first', `Pin this ${noun} before the others`, { action: 'pin-first' }) : undefined}
${pin_order === 0 ? buttonForm(address, 'Pin', `Pin this ${noun}`, { action: 'pin' }) : buttonForm(address, 'Unpin', `Unpin this ${noun}`, { action: 'unpin' })}
${
  pull_request
    ? undefined
    : askedForm({
        address,
        text: 'Delete',
        label: 'Delete this issue',
        question: 'Its comments and files are deleted, too. Nobody can undo this.',
        answer: 'Delete the issue',
        fields: { action: 'delete' },
      })
}
</div>`
}
