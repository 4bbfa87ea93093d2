import { counted, type Html, html, timeOf } from '../html.ts'
import { rowOf } from '../list.ts'
import { badgesOf } from '../repositories/repository-page.ts'

/** What an entry shows of a repository. */
interface Shown {
  /** The path of its page. */
  path: string
  /** The link to it; absent: the path. */
  text?: string
  description: string
  is_private: boolean
  is_archived: boolean
  is_template: boolean
  stars_count: number
  updated_at: string
}

/** A repository in a list. */
export const repositoryEntry = (
  { path, text = path, description, stars_count, updated_at, ...flags }: Shown,
  host: string,
): Html =>
  rowOf(
    html`<a href="${host}${path}">${text}</a>${badgesOf(flags).map((word) => html` <span class="badge">${word}</span>`)}`,
    html`${stars_count > 0 ? `${counted(stars_count, 'star')} · ` : undefined}changed ${timeOf(updated_at)}`,
    undefined,
    description,
  )
