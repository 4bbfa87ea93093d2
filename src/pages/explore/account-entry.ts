import { type Html, html } from '../html.ts'
import { rowOf } from '../list.ts'

/** What an entry shows of a person or an organization. */
interface Shown {
  login: string
  full_name: string
  avatar_url: string
  description: string
  visibility: string
}

/** A person or an organization in a list. */
export const accountEntry = (
  { login, full_name, avatar_url, description, visibility }: Shown,
  host: string,
): Html =>
  rowOf(
    html`<img class="row-picture" src="${avatar_url}" alt="" width="28" height="28"> <a href="${host}${login}">${login}</a> <span class="quiet-text" dir="auto">${full_name}</span>`,
    visibility === 'public' ? undefined : html`<span class="badge">${visibility}</span>`,
    undefined,
    description,
  )
