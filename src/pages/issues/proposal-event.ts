import * as v from 'valibot'
import type { TimelineComment } from '../../forge/timeline/timeline.shape.ts'
import { counted, html, type Piece } from '../html.ts'

/** How many commits of a push a line names. */
const maxCommits = 10

/** What happens to pull requests alone. */
export function proposalDeed(event: TimelineComment): Piece {
  const { type, body, assignee, assignee_team: team, removed_assignee, old_ref, new_ref } = event
  switch (type) {
    case 'merge_pull':
      return html`merged this as <code>${body.slice(0, 10)}</code>`
    case 'change_target_branch':
      return html`changed the base from <code>${old_ref}</code> to <code>${new_ref}</code>`
    case 'delete_branch':
      return html`deleted the branch <code>${old_ref}</code>`
    case 'review_request':
      return html`${removed_assignee ? 'no longer asks' : 'asked'} ${team ? `the team ${team.name}` : assignee?.login} for a review`
    case 'dismiss_review':
      return body === '' ? 'dismissed a review' : html`dismissed a review: <q>${body}</q>`
    case 'pull_push':
      return pushDeed(body)
    case 'review':
      return 'reviewed this'
    case 'pull_scheduled_merge':
      return 'wants this merged when all checks have succeeded'
    case 'pull_cancel_scheduled_merge':
      return 'cancelled the scheduled merge'
    default:
      return 'commented'
  }
}

/** What the entry of a push holds; the API sends it as the original does. */
const Push = v.object({ is_force_push: v.boolean(), commit_ids: v.array(v.string()) })

function pushDeed(body: string): Piece {
  const { is_force_push, commit_ids } = v.parse(Push, JSON.parse(body))
  const ids = commit_ids.slice(0, maxCommits).map((id) => html`<code>${id.slice(0, 10)}</code> `)
  const more = commit_ids.length > maxCommits ? html`and ${commit_ids.length - maxCommits} more ` : undefined
  if (is_force_push) return html`replaced the branch: ${ids[0]} became ${ids[1]}`
  return html`pushed ${counted(commit_ids.length, 'commit')}: ${ids}${more}`
}
