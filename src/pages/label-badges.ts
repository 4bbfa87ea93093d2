import type { Issue } from '../forge/issues/issue.shape.ts'
import { type Html, html } from './html.ts'

/** Labels with their colours, which the name repeats in words. */
export const labelBadges = (labels: Issue['labels']): Html[] =>
  labels.map(
    ({ name, color, description }) =>
      html`<span class="badge" title="${description}"><svg class="dot" viewBox="0 0 2 2" aria-hidden="true"><circle cx="1" cy="1" r="1" fill="#${color}"/></svg> ${name}</span> `,
  )
