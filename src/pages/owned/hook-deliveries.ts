import type * as v from 'valibot'
import type { HookDelivery, HookDeliveryDetails } from '../../forge/hooks/hook.shape.ts'
import { hiddenFields } from '../form.ts'
import { type Html, html, timeOf } from '../html.ts'
import { card } from '../layout.ts'
import { rowOf } from '../list.ts'
import { newFormId } from '../operations/once.ts'

// What a webhook has been sent.

const tones = { waiting: '', succeeded: ' good', failed: ' bad' } as const

/** A delivery in a list; `address`: of its webhook. */
export function deliveryRow(address: string, delivery: HookDelivery): Html {
  const { id, event_type, state, status, attempts, created_at } = delivery
  return rowOf(
    html`<a href="${address}/deliveries/${id}">${event_type} ${id}</a>`,
    html`<span class="badge${tones[state]}">${state}${status === null ? undefined : html` ${status}`}</span> ${timeOf(created_at)}${attempts > 1 ? ` · ${attempts} attempts` : undefined}`,
  )
}

type Delivery = v.InferOutput<typeof HookDeliveryDetails>

/** A delivery of the webhook at an address, with its attempts and its payload. */
export function deliverySections(address: string, hookId: number, delivery: Delivery): Html {
  return html`<div class="panel">
${card('attempts', 'Attempts')`${delivery.history.length === 0 ? html`<p class="empty">No attempts yet.</p>` : delivery.history.map(attemptSection)}`}
<div class="column">
${card('about', 'About')`<dl class="facts">
<dt>Webhook</dt><dd><a href="${address}">${hookId}</a></dd>
<dt>State</dt><dd>${delivery.state}</dd>
<dt>Event</dt><dd>${delivery.event_type}</dd>
<dt>Made</dt><dd>${timeOf(delivery.created_at)}</dd>
${delivery.redelivery_of === null ? undefined : html`<dt>Repeats</dt><dd><a href="${address}/deliveries/${delivery.redelivery_of}">${delivery.redelivery_of}</a></dd>`}
${delivery.next_attempt_at === null ? undefined : html`<dt>Next</dt><dd>${timeOf(delivery.next_attempt_at)}</dd>`}
</dl>
<form class="admin-links" method="post" action="${address}/deliveries/${delivery.id}/redeliver">${hiddenFields(newFormId())}<button>Deliver once more</button></form>`}
${card('payload', 'What is sent')`<pre class="wrapped admin-text" tabindex="0" role="region" aria-label="Text">${delivery.payload}</pre>`}
</div>
</div>`
}

type Attempt = Delivery['history'][number]

function attemptSection({ number, started_at, duration_ms, request, response, error }: Attempt): Html {
  return html`<h3>${number}. ${error ?? `answered ${response?.status ?? ''}`}</h3>
<p class="meta">${timeOf(started_at)} · ${duration_ms} ms · ${request.method} ${request.url}</p>
<details><summary>Headers and answer</summary>
<pre class="wrapped">${headersOf(request.headers)}</pre>
${
  response === null
    ? undefined
    : html`<pre class="wrapped">${headersOf(response.headers)}

${response.body}</pre>`
}
</details>`
}

const headersOf = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
