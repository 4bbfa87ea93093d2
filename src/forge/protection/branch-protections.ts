import * as v from 'valibot'
import { badRequest, found, notFound } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { repoAdmin } from '../repos/access.ts'
import { route } from '../route.ts'
import {
  CreateBranchProtectionOption,
  EditBranchProtectionOption,
  UpdateBranchProtectionPriories,
} from './branch-protection.option.ts'
import { BranchProtection, printBranchProtection } from './branch-protection.shape.ts'
import { changedSettings, listEdits, setLists } from './branch-protection-edit.ts'
import {
  branchProtectionNamed,
  branchProtections,
  deleteBranchProtection,
  insertBranchProtection,
  nextPriority,
  orderBranchProtections,
  updateBranchProtection,
} from './branch-protection-store.ts'
import { initialSettings } from './branch-rules.ts'
import { changeRules, recordRuleChange } from './rule-changes.ts'

/** Rules of protected branches. `refusal.ts` applies them. */

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
    const { branch_name, rule_name: newName, ...input } = context.body
    const rule_name = newName || branch_name
    if (!rule_name) throw badRequest('both rule_name and branch_name are empty')
    return changeRules(context, async (tx, repository) => {
      const enable_force_push = input.enable_push ? input.enable_force_push : false
      const changes = changedSettings(initialSettings, { ...input, enable_force_push })
      const settings = { ...initialSettings, ...changes }
      const edits = await listEdits(tx, context.caller, settings.enable_bypass_allowlist, input)
      const priority = settings.priority || (await nextPriority(tx, repository))
      const { id } = await insertBranchProtection(tx, repository, { ...settings, priority, rule_name })
      await setLists(tx, id, edits)
      await recordRuleChange(tx, context, 'branch_protection_created', { rule: rule_name })
      return printBranchProtection(found(await branchProtectionNamed(tx, repository, rule_name)))
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
    const { body, caller, params } = context
    return changeRules(context, async (tx, repository) => {
      const old = found(await branchProtectionNamed(tx, repository, params.name))
      const settings = changedSettings(old, body)
      const { enable_bypass_allowlist = old.enable_bypass_allowlist } = settings
      const edits = await listEdits(tx, caller, enable_bypass_allowlist, body)
      await updateBranchProtection(tx, old.id, settings)
      await setLists(tx, old.id, edits)
      await recordRuleChange(tx, context, 'branch_protection_edited', { rule: params.name })
      return printBranchProtection(found(await branchProtectionNamed(tx, repository, params.name)))
    })
  },
})

export const repoDeleteBranchProtection = route('DELETE /repos/{owner}/{repo}/branch_protections/{name...}', {
  summary: 'Delete a rule of protected branches',
  access: repoAdmin(),
  fails: [404, 423],
  returns: noBody(204),
  handler: (context) =>
    changeRules(context, async (tx, repository) => {
      const { name: rule } = context.params
      if (!(await deleteBranchProtection(tx, repository, rule))) throw notFound()
      await recordRuleChange(tx, context, 'branch_protection_deleted', { rule })
    }),
})

export const repoUpdateBranchProtectionPriories = route(
  'POST /repos/{owner}/{repo}/branch_protections/priority',
  {
    summary: 'Give rules of protected branches the priorities 1, 2, 3 and so on; the others keep theirs',
    access: repoAdmin(),
    body: UpdateBranchProtectionPriories,
    fails: [404, 423],
    returns: noBody(204),
    handler: (context) =>
      changeRules(context, async (tx, repository) => {
        const { ids } = context.body
        await orderBranchProtections(tx, repository, ids)
        await recordRuleChange(tx, context, 'branch_protections_ordered', { ids })
      }),
  },
)
