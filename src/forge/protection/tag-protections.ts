import * as v from 'valibot'
import { badRequest, found, unprocessable } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { id } from '../../http/route/values.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { repoAdmin } from '../repos/access.ts'
import { route } from '../route.ts'
import { listedTeams, listedUsers } from './listed-names.ts'
import { changeRules, recordRuleChange } from './rule-changes.ts'
import { CreateTagProtectionOption, EditTagProtectionOption } from './tag-protection.option.ts'
import { printTagProtection, TagProtection } from './tag-protection.shape.ts'
import {
  deleteTagProtection,
  insertTagProtection,
  setTagAccounts,
  setTagTeams,
  tagProtectionById,
  tagProtections,
  updateTagProtection,
} from './tag-protection-store.ts'
import { tagMatcherOf } from './tag-rules.ts'

/** Rules of protected tags. `refusal.ts` applies them. */

const conflicts = { tag_protection_name_pattern_unique: [403, 'Tag protection already exist'] } as const

export const repoListTagProtection = route('GET /repos/{owner}/{repo}/tag_protections', {
  summary: 'Rules of protected tags',
  access: repoAdmin(),
  returns: json(200, v.array(TagProtection)),
  shared: 'until written',
  handler: async ({ sql, caller }) => (await tagProtections(sql, caller.repo.id)).map(printTagProtection),
})

export const repoGetTagProtection = route('GET /repos/{owner}/{repo}/tag_protections/{id}', {
  summary: 'A rule of protected tags',
  access: repoAdmin(),
  params: { id },
  fails: [404],
  returns: json(200, TagProtection),
  shared: 'until written',
  handler: async ({ sql, caller, params }) =>
    printTagProtection(found(await tagProtectionById(sql, caller.repo.id, params.id))),
})

export const repoCreateTagProtection = route('POST /repos/{owner}/{repo}/tag_protections', {
  summary:
    'Create a rule of protected tags: only the listed users and teams create, move and delete matching tags',
  access: repoAdmin(),
  body: CreateTagProtectionOption,
  fails: [400, 403, 404, 422, 423],
  conflicts,
  returns: json(201, TagProtection),
  handler: async (context) => {
    const { body, caller } = context
    const { whitelist_usernames: users = [], whitelist_teams: teams = [] } = body
    const pattern = body.name_pattern.trim()
    if (pattern === '') throw badRequest('name_pattern are empty')
    if (users.length === 0 && teams.length === 0)
      throw badRequest('both whitelist_usernames and whitelist_teams are empty')
    requirePattern(pattern)
    return changeRules(context, async (tx, repository) => {
      const { id } = await insertTagProtection(tx, repository, pattern)
      await setTagAccounts(tx, id, await listedUsers(tx, caller, users, LEVELS.write))
      await setTagTeams(tx, id, await listedTeams(tx, caller, teams))
      await recordRuleChange(tx, context, 'tag_protection_created', { id, pattern })
      return printTagProtection(found(await tagProtectionById(tx, repository, id)))
    })
  },
})

export const repoEditTagProtection = route('PATCH /repos/{owner}/{repo}/tag_protections/{id}', {
  summary: 'Change a rule of protected tags; omitted members keep their values',
  access: repoAdmin(),
  params: { id },
  body: EditTagProtectionOption,
  fails: [403, 404, 422, 423],
  conflicts,
  returns: json(200, TagProtection),
  handler: async (context) => {
    const { body, caller, params } = context
    const { whitelist_usernames: users, whitelist_teams: teams } = body
    return changeRules(context, async (tx, repository) => {
      const old = found(await tagProtectionById(tx, repository, params.id))
      const pattern = body.name_pattern?.trim() || old.name_pattern
      requirePattern(pattern)
      await updateTagProtection(tx, old.id, pattern)
      if (users) await setTagAccounts(tx, old.id, await listedUsers(tx, caller, users, LEVELS.write))
      if (teams) await setTagTeams(tx, old.id, await listedTeams(tx, caller, teams))
      await recordRuleChange(tx, context, 'tag_protection_edited', { id: old.id, pattern })
      return printTagProtection(found(await tagProtectionById(tx, repository, old.id)))
    })
  },
})

export const repoDeleteTagProtection = route('DELETE /repos/{owner}/{repo}/tag_protections/{id}', {
  summary: 'Delete a rule of protected tags',
  access: repoAdmin(),
  params: { id },
  fails: [404, 423],
  returns: noBody(204),
  handler: (context) =>
    changeRules(context, async (tx, repository) => {
      const { id, name_pattern: pattern } = found(await tagProtectionById(tx, repository, context.params.id))
      await deleteTagProtection(tx, id)
      await recordRuleChange(tx, context, 'tag_protection_deleted', { id, pattern })
    }),
})

/** @throws Problem 422 */
function requirePattern(pattern: string): void {
  if (!tagMatcherOf(pattern))
    throw unprocessable(`name_pattern is no glob and no regular expression in linear time: ${pattern}`)
}
