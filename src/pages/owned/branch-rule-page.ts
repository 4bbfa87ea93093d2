import { BranchProtection } from '../../forge/protection/branch-protection.shape.ts'
import { repoGetBranchProtection } from '../../forge/protection/branch-protections.ts'
import { escapeSegments } from '../../forge/protocol/escape-segments.ts'
import type { SignedInOnRepository } from '../../forge/repos/access.ts'
import { type Fields, opened } from '../form.ts'
import { html } from '../html.ts'
import { describedFields, describedGroups, fieldsFrom } from '../operations/described.ts'
import { noticeOf } from '../operations/fields.ts'
import { type OnRequest, read } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import { ruleFields, ruleGroups, ruleName } from './branch-rules.ts'
import { sectionAddress } from './owner.ts'
import { administeredRepository as owner } from './owners.ts'

type Who = SignedInOnRepository & OnRequest

interface Shown {
  done?: string | undefined
  /** A form as it was sent. */
  values?: Fields
  refusal?: Refusal
}

/** The page of the form that adds a rule. */
export function newRulePage(who: Who, { values = { enable_push: 'on' }, refusal }: Shown) {
  const section = 'branches/new'
  const written = { values, refusal }
  const main = html`${noticeOf(undefined, refusal)}
<div class="card">${opened(sectionAddress(owner, who, section))}
${describedFields([ruleName], written)}
${describedGroups(ruleGroups, written)}
<button>Add the rule</button></form></div>`
  return owner.page(who, { section, title: 'Add a rule of branches', main })
}

/** The page of the form that changes a rule. @throws Problem 404 */
export async function rulePage(who: Who, name: string, { done, values, refusal }: Shown) {
  const params = { ...owner.params(who), name }
  const rule = await read(who, repoGetBranchProtection, BranchProtection, { params })
  const section = `branches/edit/${escapeSegments(rule.rule_name)}`
  const written = { values: values ?? fieldsFrom(ruleFields, rule), refusal }
  const main = html`${noticeOf(done, refusal)}
<div class="card">${opened(sectionAddress(owner, who, section))}
${describedGroups(ruleGroups, written)}
<button>Save</button></form></div>`
  return owner.page(who, { section, title: `Rule of ${rule.rule_name}`, main })
}
