import type { StoredStatus } from '../../forge/commit-statuses/commit-status-store.ts'
import { type Html, html, webAddress } from '../html.ts'
import { rowOf } from '../list.ts'

/** Classes of badges by state. */
export const tones: Readonly<Partial<Record<StoredStatus['state'], string>>> = {
  success: ' good',
  failure: ' bad',
  error: ' bad',
}

/** Statuses of a commit, the newest of each context. */
export const statusList = (
  statuses: readonly Pick<StoredStatus, 'context' | 'state' | 'description' | 'target_url'>[],
): Html => html`<ul class="list">${statuses.map(({ context, state, description, target_url }) => {
  const address = webAddress(target_url)
  const name =
    address === undefined
      ? context
      : html`<a href="${address}" rel="noopener noreferrer nofollow ugc">${context}</a>`
  return rowOf(html`${name} <span class="badge${tones[state]}">${state}</span>`, description)
})}
</ul>`
