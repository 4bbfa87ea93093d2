import { field, hiddenFields } from '../form.ts'
import { html } from '../html.ts'
import { page } from '../layout.ts'
import { type Way, wayInputs } from './way.ts'

/** What the page shows; `step`: the sign-in that has begun. */
interface CodePage {
  host: string
  way: Way
  step: string
  fault?: string
}

/** The page that asks for the one-time code of an account whose password was right. */
export function codePage({ host, way, step, fault }: CodePage): string {
  const main = html`<div class="narrow">
<h1>Your one-time code</h1>
<p class="quiet-text">Your password is right. This account also asks for a code.</p>
<form class="card" method="post" action="${host}login">
${hiddenFields({ step })}${wayInputs(way)}
${field({ name: 'code', label: 'One-time code', autocomplete: 'one-time-code', hasFocus: true, hint: 'From your app, or a recovery code.', fault })}
<div class="actions"><button>Sign in</button> <a class="button quiet" href="${host}login">Begin again</a></div>
</form>
<details>
<summary>Have you lost your app and your recovery codes?</summary>
<p>An administrator of this site can let you sign in without a code.</p>
</details>
</div>`
  return page({ host, caller: undefined, title: 'One-time code', main, current: 'account' })
}
