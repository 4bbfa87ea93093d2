import { type Html, html } from '../html.ts'

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
): Html => html`
<li class="account-entry"><img src="${avatar_url}" alt="" width="40" height="40">
<div><h2 class="entry-name"><a href="${host}${login}">${login}</a> <span class="quiet-text" dir="auto">${full_name}</span>
${visibility === 'public' ? undefined : html`<span class="badge">${visibility}</span>`}</h2>
${description === '' ? undefined : html`<p dir="auto">${description}</p>`}</div></li>`
