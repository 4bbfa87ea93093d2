import type { Issue } from '../../forge/issues/issue.shape.ts'
import { type Html, html, type Piece, timeOf } from '../html.ts'
import { stateSign } from './state-badge.ts'

/** A label on its colour. */
export const labelBadge = ({
  name,
  color,
  description,
}: Pick<Issue['labels'][number], 'name' | 'color' | 'description'>): Html =>
  html`<span class="badge label on-${isDark(color) ? 'dark' : 'light'}" title="${description}"><svg class="label-ground" preserveAspectRatio="none" viewBox="0 0 1 1" aria-hidden="true"><path d="M0 0h1v1H0z" fill="#${color}"/></svg>${name}</span> `

/**
 * Whether white is read better than black on a colour: its relative luminance (WCAG 2.2) is below that at which both have
 * the same contrast.
 */
function isDark(color: string): boolean {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179
}

/** Labels with their colours. */
export const labelBadges = (labels: Issue['labels']): Html[] => labels.map(labelBadge)

/** An issue in a list: its title with its labels, and columns for what it waits for. */
export function issueEntry(issue: Issue): Html {
  const { html_url, title, number, labels, milestone, assignees, user, created_at, comments } = issue
  const column = (content: Piece) => html`<span class="meta">${content}</span>`
  return html`
<li class="issue-row"><h3>${stateSign(issue)} <a href="${html_url}">${title}</a> ${labelBadges(labels)}</h3>
${column(milestone?.title)}
${column(assignees.map(({ login }) => login).join(', '))}
${column(comments === 0 ? undefined : html`<svg class="sign" viewBox="0 0 16 16" aria-hidden="true"><path d="M2 3h12v8H7l-3 3v-3H2z"/></svg> ${comments}<span class="hidden-words"> ${comments === 1 ? 'comment' : 'comments'}</span>`)}
${column(html`#${number} by ${user.login} ${timeOf(created_at)}`)}</li>`
}
