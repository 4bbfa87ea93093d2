import type { Milestone } from '../../forge/milestones/milestone.shape.ts'
import { type Html, html, timeOf } from '../html.ts'
import { rowOf } from '../list.ts'
import { stateBadge } from './state-badge.ts'

/** The page of a milestone; `home`: that of its repository. */
export const milestoneAddress = (home: string, { id }: Pick<Milestone, 'id'>) => `${home}/milestone/${id}`

/** A milestone in a list. */
export const milestoneEntry = (home: string, milestone: Milestone): Html =>
  rowOf(
    html`<a href="${milestoneAddress(home, milestone)}">${milestone.title}</a> ${stateBadge(milestone)}`,
    milestoneFacts(milestone),
  )

/** How far a milestone is, and until when it is to be done. */
export function milestoneFacts({ open_issues, closed_issues, due_on, closed_at }: Milestone): Html {
  const all = open_issues + closed_issues
  const progress = `${closed_issues} of ${all} issues closed`
  return html`${all === 0 ? undefined : html`<progress max="${all}" value="${closed_issues}" aria-label="${progress}"></progress> `}${progress}
${due_on === null ? undefined : html` · due ${timeOf(due_on)}`}${closed_at === null ? undefined : html` · closed ${timeOf(closed_at)}`}`
}
