import * as v from 'valibot'
import type { Tx } from '../../db/sql.ts'
import { badRequest, found } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { record, repositoryTarget } from '../admin/audit-trail.ts'
import { repoAdmin, type SignedInOnRepository } from '../repos/access.ts'
import { type ForgeContext, route } from '../route.ts'
import {
  BranchProtection,
  CreateBranchProtectionOption,
  EditBranchProtectionOption,
  printBranchProtection,
  UpdateBranchProtectionPriories,
} from './branch-protection.shape.ts'
import { initialSettings, listsAfter, setLists, settingsAfter } from './branch-protection-edit.ts'
import {
  branchProtectionNamed,
  branchProtections,
  deleteBranchProtection,
  insertBranchProtection,
  nextPriority,
  orderBranchProtections,
  updateBranchProtection,
} from './branch-protection-store.ts'
import { lockToProtect } from './lock.ts'

/** Rules of protected branches. `refusal.ts` says what they refuse. */

export const repoListBranchProtection = route('GET /repos/{owner}/{repo}/branch_protections', {
  summary: 'Rules of protected branches, by priority',
  access: repoAdmin(),
  returns: json(200, v.array(BranchProtection)),
  shared: 'until written',
  handler: async ({ sql, caller }) =>
    (await branchProtections(sql, caller.repo.id)).map(printBranchProtection),
})

export const repoGetBranchProtection = route('GET /repos/{owner}/{repo}/branch_protections/{name...}', {
  summary: 'A rule of protected branches',
  access: repoAdmin(),
  fails: [404],
  returns: json(200, BranchProtection),
  shared: 'until written',
  handler: async ({ sql, caller, params }) =>
    printBranchProtection(found(await branchProtectionNamed(sql, caller.repo.id, params.name))),
})

export const repoCreateBranchProtection = route('POST /repos/{owner}/{repo}/branch_protections', {
  summary: 'Create a rule that protects the branches whose names match a name or glob',
  access: repoAdmin(),
  body: CreateBranchProtectionOption,
  fails: [400, 403, 404, 422, 423],
  conflicts: { branch_protection_rule_name_unique: [403, 'Branch protection already exist'] },
  returns: json(201, BranchProtection),
  handler: async (context) => {
    const { body, caller, begin } = context
    const rule_name = body.rule_name || body.branch_name
    if (!rule_name) throw badRequest('both rule_name and branch_name are empty')
    return begin(async (tx) => {
      await lockToProtect(tx, caller.repo.id)
      const force = body.enable_push ? body.enable_force_push : false
      const settings = settingsAfter(initialSettings, { ...body, enable_force_push: force })
      const lists = await listsAfter(tx, caller, settings, body)
      const priority = settings.priority || (await nextPriority(tx, caller.repo.id))
      const { id } = await insertBranchProtection(tx, caller.repo.id, { ...settings, priority, rule_name })
      await setLists(tx, id, lists)
      await recordRule(tx, context, 'created', rule_name)
      return printBranchProtection(found(await branchProtectionNamed(tx, caller.repo.id, rule_name)))
    })
  },
})

export const repoEditBranchProtection = route('PATCH /repos/{owner}/{repo}/branch_protections/{name...}', {
  summary: 'Change a rule of protected branches; omitted members, and the name, keep their values',
  access: repoAdmin(),
  body: EditBranchProtectionOption,
  fails: [404, 422, 423],
  returns: json(200, BranchProtection),
  handler: async (context) => {
    const { body, caller, params, begin } = context
    return begin(async (tx) => {
      await lockToProtect(tx, caller.repo.id)
      const old = found(await branchProtectionNamed(tx, caller.repo.id, params.name))
      const settings = settingsAfter(old, body)
      const lists = await listsAfter(tx, caller, settings, body)
      await updateBranchProtection(tx, old.id, settings)
      await setLists(tx, old.id, lists)
      await recordRule(tx, context, 'edited', params.name)
      return printBranchProtection(found(await branchProtectionNamed(tx, caller.repo.id, params.name)))
    })
  },
})

export const repoDeleteBranchProtection = route('DELETE /repos/{owner}/{repo}/branch_protections/{name...}', {
  summary: 'Delete a rule of protected branches',
  access: repoAdmin(),
  fails: [404, 423],
  returns: noBody(204),
  handler: async (context) => {
    const { caller, params, begin } = context
    await begin(async (tx) => {
      await lockToProtect(tx, caller.repo.id)
      found((await deleteBranchProtection(tx, caller.repo.id, params.name)) || undefined)
      await recordRule(tx, context, 'deleted', params.name)
    })
  },
})

export const repoUpdateBranchProtectionPriories = route(
  'POST /repos/{owner}/{repo}/branch_protections/priority',
  {
    summary: 'Give rules of protected branches the priorities 1, 2, 3 and so on; the others keep theirs',
    access: repoAdmin(),
    body: UpdateBranchProtectionPriories,
    fails: [404, 423],
    returns: noBody(204),
    handler: async (context) => {
      const { body, caller, begin } = context
      await begin(async (tx) => {
        await lockToProtect(tx, caller.repo.id)
        await orderBranchProtections(tx, caller.repo.id, body.ids)
        const target = repositoryTarget(caller.repo, caller.subject)
        await record(tx, context, {
          action: 'repository.branch_protections_ordered',
          target,
          details: { ids: body.ids },
        })
      })
    },
  },
)

const recordRule = (
  tx: Tx,
  context: ForgeContext<SignedInOnRepository>,
  what: 'created' | 'edited' | 'deleted',
  rule: string,
) =>
  record(tx, context, {
    action: `repository.branch_protection_${what}`,
    target: repositoryTarget(context.caller.repo, context.caller.subject),
    details: { rule },
  })
