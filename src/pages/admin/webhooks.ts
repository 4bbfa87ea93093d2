import { Hook } from '../../forge/hooks/hook.shape.ts'
import { adminCreateHook, adminListHooks } from '../../forge/hooks/hooks.ts'
import { queryChoice } from '../../forge/protocol/query.ts'
import { choice, type Fields } from '../form.ts'
import { html } from '../html.ts'
import { listQuery, listSection, pageAt, rowOf } from '../list.ts'
import { perform, readPage } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import {
  blame,
  hookFacts,
  hookTypeChoice,
  newHook,
  newHookIn,
  newSecretFields,
  webhookFields,
} from '../owned/hook-form.ts'
import { route } from '../route.ts'
import type { Administrator } from './administrator.ts'
import { adminPage } from './frame.ts'
import { adminForm, adminReply, replyTo } from './reply.ts'

const notices: Readonly<Record<string, string>> = {
  created: 'The webhook was created.',
  deleted: 'The webhook was deleted, with its deliveries.',
}

export const getAdminWebhooksPage = route('GET /-/admin/webhooks', {
  ...adminReply,
  summary: 'Webhooks of the site: those that get all events, or those that new repositories get, as a page',
  query: { ...listQuery, type: queryChoice('system', 'default') },
  handler: async ({ caller, query, from: { host } }) => {
    const type = query.type === 'default' ? 'default' : 'system'
    const page = await readPage(caller, adminListHooks, Hook, { query: { type, ...pageAt(query.page) } })
    const address = `${host}-/admin/webhooks`
    const link = (to: string, text: string) =>
      html`<a href="${address}?type=${to}"${to === type ? html` aria-current="true"` : undefined}>${text}</a>`
    const main = html`<p class="actions admin-order">${link('system', 'For all events of the site')} ${link('default', 'Copied into new repositories')}</p>
${listSection({
  address,
  selection: { type },
  isSearch: false,
  page,
  noun: ['webhook'],
  rowOf: (hook) =>
    rowOf(
      html`<a href="${address}/${hook.id}">${hook.name || hook.config.url}</a> <span class="badge">${hook.type}</span>${hook.active ? undefined : html` <span class="badge">inactive</span>`}`,
      hookFacts(hook),
    ),
  empty: type === 'system' ? 'No webhooks for all events yet.' : 'No webhooks for new repositories yet.',
})}`
    const beside = html`<a class="button" href="${host}-/admin/new/webhook">Create a webhook</a>`
    const done = notices[query.done]
    return adminPage({ caller, title: 'Webhooks', section: 'webhooks', main, beside, done })
  },
})

export const getAdminNewWebhookPage = route('GET /-/admin/new/webhook', {
  ...adminReply,
  summary: 'The form that creates a webhook of the site',
  handler: ({ caller }) => newWebhookPage(caller, newHook),
})

export const createWebhookByPage = route('POST /-/admin/new/webhook', {
  ...adminForm,
  summary: 'Create a webhook of the site',
  handler: ({ caller, body }) => {
    const { scope } = body
    const is_system_webhook = scope === 'default' ? 'false' : 'true'
    const create = async () => {
      const { config, ...draft } = newHookIn(body)
      return await perform(caller, adminCreateHook, {
        body: { ...draft, config: { ...config, is_system_webhook } },
      })
    }
    return replyTo(caller, create(), {
      path: `webhooks?type=${scope === 'default' ? 'default' : 'system'}&done=created`,
      blame,
      again: (refusal) => newWebhookPage(caller, body, refusal),
    })
  },
})

/** The page that creates a webhook. */
function newWebhookPage(caller: Administrator, values: Fields, refusal?: Refusal): string {
  const { host } = caller.request.from
  const scopes = { system: 'All events of the site', default: 'New repositories, each with a copy' }
  const main = html`<form class="card admin-form" method="post" action="${host}-/admin/new/webhook">
${choice({ name: 'scope', label: 'For', value: values.scope ?? 'system', options: scopes })}
${hookTypeChoice(values)}
${webhookFields(values, refusal)}
${newSecretFields(refusal)}
<button>Create the webhook</button>
</form>`
  return adminPage({ caller, title: 'Create a webhook', section: 'webhooks', main, refusal })
}
