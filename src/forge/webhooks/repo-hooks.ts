import { id } from '../../http/route/values.ts'
import { inRepo, queryText } from '../protocol/query.ts'
import { repoAdmin, type SignedInOnRepository } from '../repos/access.ts'
import { route } from '../route.ts'
import { createHook, editHook, type HookOwner, removeHook, repeatDelivery } from './editing.ts'
import { printDelivery, printHook } from './hook.shape.ts'
import { testHook } from './hook-test.ts'
import {
  creates,
  edits,
  lists,
  listsDeliveries,
  removes,
  repeats,
  shows,
  showsDelivery,
} from './operations.ts'
import { listDeliveries, listHooks, showDelivery, showHook } from './reading.ts'

/** Webhooks of a repository. Its administrators manage them. */

const hookOwnerOf = ({ repo, subject }: SignedInOnRepository): HookOwner => ({
  filter: { repository: repo.id },
  scopeOf: () => ({ kind: 'repository', repository: repo.id }),
  name: `${subject.name}/${repo.name}`,
})

const list = route(
  'GET /repos/{owner}/{repo}/hooks',
  {
    operationId: 'repoListHooks',
    ...lists,
    summary: 'Webhooks of a repository',
    access: repoAdmin('repository'),
    params: inRepo,
  },
  (context) => listHooks(context, hookOwnerOf(context.caller).filter, context.query),
)

const create = route(
  'POST /repos/{owner}/{repo}/hooks',
  {
    operationId: 'repoCreateHook',
    ...creates,
    summary: 'Create a webhook of a repository',
    access: repoAdmin('repository'),
    params: inRepo,
  },
  async (context) => printHook(await createHook(context, hookOwnerOf(context.caller), context.body)),
)

const show = route(
  'GET /repos/{owner}/{repo}/hooks/{id}',
  {
    operationId: 'repoGetHook',
    ...shows,
    summary: 'A webhook of a repository',
    access: repoAdmin('repository'),
    params: { ...inRepo, id },
  },
  (context) => showHook(context, hookOwnerOf(context.caller).filter, context.params.id),
)

const edit = route(
  'PATCH /repos/{owner}/{repo}/hooks/{id}',
  {
    operationId: 'repoEditHook',
    ...edits,
    summary:
      'Change a webhook of a repository; events, branch_filter and authorization_header not given are reset',
    access: repoAdmin('repository'),
    params: { ...inRepo, id },
  },
  async (context) =>
    printHook(
      await editHook(context, { owner: hookOwnerOf(context.caller), id: context.params.id }, context.body),
    ),
)

const remove = route(
  'DELETE /repos/{owner}/{repo}/hooks/{id}',
  {
    operationId: 'repoDeleteHook',
    ...removes,
    summary: 'Delete a webhook of a repository and its deliveries',
    access: repoAdmin('repository'),
    params: { ...inRepo, id },
  },
  async (context) => removeHook(context, hookOwnerOf(context.caller), context.params.id),
)

const deliveries = route(
  'GET /repos/{owner}/{repo}/hooks/{id}/deliveries',
  {
    operationId: 'repoListHookDeliveries',
    extension: true,
    ...listsDeliveries,
    summary: 'Deliveries of a webhook of a repository, newest first',
    access: repoAdmin('repository'),
    params: { ...inRepo, id },
  },
  (context) => listDeliveries(context, hookOwnerOf(context.caller).filter, context.params.id, context.query),
)

const delivery = route(
  'GET /repos/{owner}/{repo}/hooks/{id}/deliveries/{delivery}',
  {
    operationId: 'repoGetHookDelivery',
    extension: true,
    ...showsDelivery,
    summary: 'A delivery of a webhook of a repository: what was sent, and what came of each attempt',
    access: repoAdmin('repository'),
    params: { ...inRepo, id, delivery: id },
  },
  (context) => showDelivery(context, hookOwnerOf(context.caller).filter, context.params),
)

const again = route(
  'POST /repos/{owner}/{repo}/hooks/{id}/deliveries/{delivery}/redeliver',
  {
    operationId: 'repoRedeliverHook',
    extension: true,
    ...repeats,
    summary: 'Deliver once more, as a new delivery of the same text',
    access: repoAdmin('repository'),
    params: { ...inRepo, id, delivery: id },
  },
  async (context) =>
    printDelivery(await repeatDelivery(context, hookOwnerOf(context.caller), context.params)),
)

const test = route(
  'POST /repos/{owner}/{repo}/hooks/{id}/tests',
  {
    operationId: 'repoTestHook',
    summary:
      'Send the newest commit of a branch to a webhook as if it had just been pushed; nothing where there is none',
    access: repoAdmin('repository'),
    params: { ...inRepo, id },
    query: { ref: queryText },
    fails: [404, 422],
    returns: [204],
  },
  async (context) => testHook(context, hookOwnerOf(context.caller)),
)

export const repoHookRoutes = [list, create, show, edit, remove, deliveries, delivery, again, test]
