import type { Visibility } from '../../forge/accounts/visibility.ts'
import { askedForm } from '../form.ts'
import { type Html, html, type Piece } from '../html.ts'
import { card } from '../layout.ts'

/** Who sees an account. */
export const visibilities: Readonly<Record<Visibility, string>> = {
  public: 'Everybody',
  limited: 'Everybody who is signed in',
  private: 'Members and administrators',
}

/** A form above a list that selects rows of it. */
export const filterForm = (
  address: string,
  fields: Piece,
): Html => html`<form class="card admin-filter" method="get" action="${address}" role="search">
${fields}
<button>Show</button>
</form>`

/** The forms that change and delete the thing at an address; `warning`: what the deletion causes. */
export const changeForms = (
  address: string,
  fields: Html,
  name: string,
  warning: string,
): Html => html`<div class="panel">
<form class="card" method="post" action="${address}/edit">
${fields}
<button>Save</button>
</form>
${card('delete', 'Delete')`${askedForm({
  address: `${address}/delete`,
  text: `Delete ${name}`,
  question: warning,
  answer: `Delete ${name}`,
})}`}
</div>`

/** A list beside the form that adds to it. */
export const listBesideForm = (
  list: Html,
  address: string,
  noun: string,
  fields: Html,
): Html => html`<div class="panel"><div>
${list}</div>
<form class="card" method="post" action="${address}" aria-labelledby="new">
<h2 id="new">Create a ${noun}</h2>
${fields}
<button>Create the ${noun}</button>
</form>
</div>`

/** The form that asks whether to delete the thing at an address; `back`: the page that `Keep it` leads to. */
export const deletionForm = (
  address: string,
  name: string,
  consequences: Piece,
  back: string,
): Html => html`<form class="card admin-form" method="post" action="${address}/delete">
${consequences}
<div class="actions"><button class="admin-danger">Delete ${name}</button> <a class="button quiet" href="${back}">Keep it</a></div>
</form>`
