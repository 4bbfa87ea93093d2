import * as v from 'valibot'
import { pageFrom } from '../../db/page.ts'
import { BranchProtection } from '../../forge/protection/branch-protection.shape.ts'
import {
  repoDeleteBranchProtection,
  repoListBranchProtection,
} from '../../forge/protection/branch-protections.ts'
import { escapeSegments } from '../../forge/protocol/escape-segments.ts'
import { html } from '../html.ts'
import { listed } from '../list.ts'
import type { FieldDescription, FieldGroup } from '../operations/described.ts'
import { read } from '../operations/perform.ts'
import type { Noun } from './noun.ts'

const flag = (name: string, label: string, hint?: string): FieldDescription => ({
  name,
  label,
  kind: 'tick',
  ...(hint !== undefined && { hint }),
})

/** The people and teams of a list. */
const people = (users: string, teams: string): readonly FieldDescription[] => [
  { name: users, label: 'People of the list', kind: 'words', isOptional: true },
  { name: teams, label: 'Teams of the list', kind: 'words', isOptional: true },
]

/** The name of a new rule; it cannot be changed. */
export const ruleName: FieldDescription = {
  name: 'rule_name',
  label: 'Branches',
  hint: 'The name of a branch, or a glob: * stops at a slash, ** does not',
}

/** What a rule says, as the API names it. */
export const ruleGroups: readonly FieldGroup[] = [
  {
    fields: [
      {
        name: 'priority',
        label: 'Priority',
        kind: 'number',
        hint: 'Of the rules that match a branch, that of the lowest number counts.',
        isOptional: true,
      },
    ],
  },
  {
    legend: 'Pushes',
    fields: [
      flag('enable_push', 'Writers may push', 'Otherwise nobody may.'),
      flag('enable_push_whitelist', 'Only those of the list may push'),
      ...people('push_whitelist_usernames', 'push_whitelist_teams'),
      flag('push_whitelist_deploy_keys', 'Deploy keys that write are on the list'),
      flag('require_signed_commits', 'Commits must be signed with an SSH key of their committer'),
    ],
  },
  {
    legend: 'Force pushes',
    fields: [
      flag('enable_force_push', 'Who may push may force-push'),
      flag('enable_force_push_allowlist', 'Only those of the list may force-push'),
      ...people('force_push_allowlist_usernames', 'force_push_allowlist_teams'),
      flag('force_push_allowlist_deploy_keys', 'Deploy keys that write are on the list'),
    ],
  },
  {
    legend: 'Merges',
    fields: [
      flag('enable_merge_whitelist', 'Only those of the list may merge'),
      ...people('merge_whitelist_usernames', 'merge_whitelist_teams'),
      flag('block_on_outdated_branch', 'Not while the branch is behind its target'),
      flag('block_admin_merge_override', 'Administrators are bound, too'),
      flag('enable_status_check', 'Statuses must be good'),
      {
        name: 'status_check_contexts',
        label: 'Contexts of statuses',
        kind: 'words',
        hint: 'Globs with spaces between them',
        isOptional: true,
      },
    ],
  },
  {
    legend: 'Reviews',
    fields: [
      { name: 'required_approvals', label: 'Approvals', kind: 'number', isOptional: true },
      flag('enable_approvals_whitelist', 'Only approvals of those of the list count'),
      ...people('approvals_whitelist_username', 'approvals_whitelist_teams'),
      flag('block_on_rejected_reviews', 'Not while changes are asked for'),
      flag('block_on_official_review_requests', 'Not while a review is asked for'),
      flag('dismiss_stale_approvals', 'New commits end approvals'),
      flag('ignore_stale_approvals', 'Approvals of former commits do not count'),
    ],
  },
  {
    legend: 'Exceptions',
    fields: [
      flag('enable_bypass_allowlist', 'Those of the list are not bound'),
      ...people('bypass_allowlist_usernames', 'bypass_allowlist_teams'),
    ],
  },
  {
    legend: 'Files',
    fields: [
      {
        name: 'protected_file_patterns',
        label: 'Protected files',
        hint: 'Globs with ; between them: no push changes these files.',
        isOptional: true,
      },
      {
        name: 'unprotected_file_patterns',
        label: 'Unprotected files',
        hint: 'Globs with ; between them: all writers may change these files.',
        isOptional: true,
      },
    ],
  },
]

/** All fields of a rule but its name. */
export const ruleFields = ruleGroups.flatMap(({ fields }) => fields)

type BranchRule = v.InferOutput<typeof BranchProtection>

/** The rules of branches. */
export const branchRules: Noun<BranchRule> = {
  section: 'branches',
  title: 'Protected branches',
  word: ['rule'],
  about: 'A rule says who may push to the branches of its name, and what must be so before a merge.',
  rows: async (at, page) => {
    const rules = await read(at, repoListBranchProtection, v.array(BranchProtection), { params: at.params })
    return pageFrom(rules, { page, limit: listed })
  },
  keyOf: ({ rule_name }) => rule_name,
  nameOf: ({ rule_name }) => rule_name,
  hrefOf: ({ rule_name }, address) => `${address}/edit/${escapeSegments(rule_name)}`,
  factsOf: (rule) => factsOf(rule).join(' · '),
  removed: {
    text: 'Delete',
    question: ({ rule_name }) => `Delete the rule of ${rule_name}? Writers may push to these branches then.`,
  },
  above: (_, address) => html`<p class="actions"><a class="button" href="${address}/new">Add a rule</a></p>`,
  acts: {
    remove: {
      calls: ({ key = '' }, { params }) => [
        [repoDeleteBranchProtection, { params: { ...params, name: key } }],
      ],
      done: 'The rule was deleted.',
    },
  },
}

const factsOf = (rule: BranchRule): readonly string[] => [
  !rule.enable_push ? 'nobody pushes' : rule.enable_push_whitelist ? 'a list pushes' : 'writers push',
  rule.enable_force_push ? 'force pushes' : 'no force pushes',
  ...(rule.required_approvals > 0 ? [`${rule.required_approvals} approvals`] : []),
]
