import type { TimelineComment } from '../../forge/timeline/timeline.shape.ts'
import { type Html, html, type Piece, timeOf } from '../html.ts'
import { labelBadges } from './issue-entry.ts'
import { proposalDeed } from './proposal-event.ts'

/** An event of the timeline of an issue as a line of its page. */
export function eventLine(event: TimelineComment): Html {
  const { id, user, created_at } = event
  return html`<p class="meta" id="issuecomment-${id}"><a href="${user.html_url}">${user.login}</a> ${deedOf(event)} ${timeOf(created_at)}</p>`
}

function deedOf(event: TimelineComment): Piece {
  const { type, body, label, assignee, removed_assignee, dependent_issue: other } = event
  switch (type) {
    case 'close':
      return 'closed this'
    case 'reopen':
      return 'reopened this'
    case 'label':
      return html`${body === '' ? 'took' : 'gave'} the label ${label ? labelBadges([label]) : 'that has been deleted'}`
    case 'milestone':
      return milestoneDeed(event)
    case 'assignees':
      return html`${removed_assignee ? 'no longer assigns' : 'assigned'} ${assignee?.login}`
    case 'change_title':
      return html`changed the title from <q>${event.old_title}</q> to <q>${event.new_title}</q>`
    case 'change_issue_ref':
      return html`changed the ref from <q>${event.old_ref}</q> to <q>${event.new_ref}</q>`
    case 'commit_ref':
      return html`named this in the commit <code>${event.ref_commit_sha.slice(0, 10)}</code>`
    case 'added_deadline':
      return `set the deadline ${body}`
    case 'modified_deadline':
      return `changed the deadline from ${body.split('|')[1]} to ${body.split('|')[0]}`
    case 'removed_deadline':
      return `removed the deadline ${body}`
    case 'add_dependency':
      return html`added a dependency ${other ? issueLink(other) : 'on an issue that cannot be shown'}`
    case 'remove_dependency':
      return html`removed a dependency ${other ? issueLink(other) : 'on an issue that cannot be shown'}`
    case 'lock':
      return body === '' ? 'locked this' : html`locked this: <q>${body}</q>`
    case 'unlock':
      return 'unlocked this'
    case 'pin':
      return 'pinned this'
    case 'unpin':
      return 'unpinned this'
    default:
      return proposalDeed(event)
  }
}

function milestoneDeed({ milestone, old_milestone: before }: TimelineComment): Piece {
  if (milestone) return html`chose the milestone <q>${milestone.title}</q>`
  return before ? html`removed the milestone <q>${before.title}</q>` : 'changed the milestone'
}

const issueLink = ({ html_url, title, number }: NonNullable<TimelineComment['dependent_issue']>) =>
  html`<a href="${html_url}">#${number} ${title}</a>`
