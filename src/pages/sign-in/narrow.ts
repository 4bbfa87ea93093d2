import { type Html, html } from '../html.ts'
import { page } from '../layout.ts'

/** A page of one column for who is not signed in, under its title. */
export function narrow(host: string, title: string, content: Html): string {
  const main = html`<div class="narrow">
<h1>${title}</h1>
${content}
</div>`
  return page({ host, caller: undefined, title, main, current: 'account' })
}
