import * as v from 'valibot'
import type { SignedIn } from '../../forge/auth/access.ts'
import { Hook, HookDelivery, HookDeliveryDetails } from '../../forge/hooks/hook.shape.ts'
import type { ForgeTools } from '../../forge/route.ts'
import type { Route } from '../../http/route/route.ts'
import { buttonForm, type Fields, opened } from '../form.ts'
import { html } from '../html.ts'
import { listSection, pageAt } from '../list.ts'
import { noticeOf } from '../operations/fields.ts'
import { newFormId } from '../operations/once.ts'
import { type OnRequest, read, readPage } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import { deliveryRow, deliverySections } from './hook-deliveries.ts'
import {
  hookFacts,
  hookTypeChoice,
  newHook,
  newSecretFields,
  secretFields,
  storedHook,
  webhookFields,
} from './hook-form.ts'
import type { Noun } from './noun.ts'
import { type Owner, sectionAddress } from './owner.ts'

/** The operations on the webhooks of one kind of owner. */
interface HookOperations {
  list: Route<ForgeTools>
  show: Route<ForgeTools>
  create: Route<ForgeTools>
  edit: Route<ForgeTools>
  remove: Route<ForgeTools>
  deliveries: Route<ForgeTools>
  delivery: Route<ForgeTools>
  redeliver: Route<ForgeTools>
  /** Absent: such a hook is tried by what it waits for. */
  test?: Route<ForgeTools>
}

/** The list of the webhooks of an owner; `events`: whose events they get. */
export const hooksOf = ({ list, remove }: HookOperations, events: string): Noun<Hook> => ({
  section: 'hooks',
  title: 'Webhooks',
  word: ['webhook'],
  about: `Each sends a message to an address when something happens in ${events}.`,
  rows: (at, page) => readPage(at, list, Hook, { params: at.params, query: pageAt(page) }),
  keyOf: ({ id }) => id,
  nameOf: (row) => row.name || (row.config.url ?? ''),
  hrefOf: ({ id }, address) => `${address}/${id}`,
  badgesOf: ({ type, active }) => (active ? [type] : [type, 'inactive']),
  factsOf: hookFacts,
  removed: {
    text: 'Delete',
    question: () =>
      'Its deliveries are deleted, too, and those that wait are not sent. Nobody can undo this.',
  },
  above: (_, address) =>
    html`<p class="actions"><a class="button" href="${address}/new">Add a webhook</a></p>`,
  acts: {
    remove: {
      calls: ({ key = '' }, { params }) => [[remove, { params: { ...params, id: key } }]],
      done: 'The webhook was deleted, with its deliveries.',
    },
  },
})

/** The owner of a webhook, and the operations on it. */
export interface HookPlace<Who extends SignedIn> {
  owner: Owner<Who>
  operations: HookOperations
}

/** What a page shows beside what is stored. */
interface Shown {
  page?: number
  done?: string | undefined
  /** A form as it was sent. */
  values?: Fields
  refusal?: Refusal
}

/** The page of the form that adds a webhook. */
export function newHookPage<Who extends SignedIn>(
  { owner }: HookPlace<Who>,
  who: Who & OnRequest,
  { values = newHook, refusal }: Shown,
): Promise<string> | string {
  const section = 'hooks/new'
  const main = html`${noticeOf(undefined, refusal)}
<div class="card">${opened(sectionAddress(owner, who, section), newFormId())}
${hookTypeChoice(values)}
${webhookFields(values, refusal)}
${newSecretFields(refusal)}
<button>Add the webhook</button></form></div>`
  return owner.page(who, { section, title: 'Add a webhook', main })
}

/** The page of a webhook, which changes and tries it and lists its deliveries. @throws Problem 404 */
export async function hookPage<Who extends SignedIn>(
  { owner, operations }: HookPlace<Who>,
  who: Who & OnRequest,
  id: number,
  { page = 1, done, values, refusal }: Shown,
): Promise<string> {
  const params = { ...owner.params(who), id }
  const hook = await read(who, operations.show, Hook, { params })
  const deliveries = await readPage(who, operations.deliveries, HookDelivery, { params, query: pageAt(page) })
  const section = `hooks/${id}`
  const address = sectionAddress(owner, who, section)
  const main = html`${noticeOf(done, refusal)}
<div class="card">${opened(address, { action: 'edit' })}
${webhookFields(values?.action === 'edit' ? values : storedHook(hook), refusal, hook.type)}
${secretFields(refusal)}
<button>Save</button></form></div>
${operations.test && hook.active ? html`<p class="actions">${buttonForm(address, 'Send a test', 'Send a test: the newest commit', { action: 'test', ...newFormId() })} <span class="meta">The newest commit is sent as a push.</span></p>` : undefined}
${listSection({
  address,
  page: deliveries,
  noun: ['delivery', 'deliveries'],
  rowOf: (delivery) => deliveryRow(address, delivery),
  empty: 'No deliveries yet: no event has happened since.',
})}`
  return owner.page(who, { section, title: hook.name || `Webhook ${id}`, main })
}

/** The page of a delivery, which can be repeated. @throws Problem 404 */
export async function deliveryPage<Who extends SignedIn>(
  { owner, operations }: HookPlace<Who>,
  who: Who & OnRequest,
  { id, delivery }: { id: number; delivery: number },
  refusal?: Refusal,
): Promise<string> {
  const params = { ...owner.params(who), id, delivery }
  const shown = await read(who, operations.delivery, HookDeliveryDetails, { params })
  const section = `hooks/${id}`
  const main = html`${noticeOf(undefined, refusal)}
${deliverySections(sectionAddress(owner, who, section), id, shown)}`
  return owner.page(who, { section, title: `Delivery ${delivery}`, main })
}

/** The id of a webhook that was created. */
export const idOfHook = (made: unknown): number => v.parse(Hook, made).id
