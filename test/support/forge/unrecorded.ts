/** Which changing operations of the APIs leave no entry in the audit trail, and why; docs/SECURITY.md has the rule. */
interface Listed {
  operations: RegExp
  why: string
}

const conversation = 'what it changes names its author and time itself, or the timeline does'
const personal = 'it marks something for the caller alone'

export const unrecorded: readonly Listed[] = [
  {
    operations: /\/markdown(?:\/raw)?$|\/markup$|\/file-contents$|\/npm\/v1\/security\//,
    why: 'it changes nothing',
  },
  {
    operations: /^POST \/api\/stats\/session\//,
    why: 'it says who is present, without a name that is checked',
  },
  {
    operations: /^POST \/api\/(?:news|media)$/,
    why: 'everybody may publish here; with a token it is recorded',
  },
  { operations: /\/statuses\/\{sha\}$/, why: conversation },
  { operations: /^(?:POST|PATCH) .*\/(?:issues|pulls)(?:\/\{index\})?$/, why: conversation },
  { operations: /^(?:POST|PATCH) .*\/comments(?:\/\{id\})?(?:\/replies)?$/, why: conversation },
  { operations: /\/comments\/\{id\}\/(?:un)?resolve$/, why: conversation },
  {
    operations: /\/\{index\}\/(?:labels|assignees|requested_reviewers|deadline)(?:\/\{id\})?$/,
    why: conversation,
  },
  { operations: /\/\{index\}\/(?:blocks|dependencies|pin)(?:\/\{position\})?$/, why: conversation },
  { operations: /^POST .*\/reviews(?:\/\{id\}(?:\/(?:un)?dismissals)?)?$/, why: conversation },
  { operations: /^DELETE .*\/pulls\/\{index\}\/merge$/, why: conversation },
  { operations: /\/reactions$/, why: personal },
  { operations: /\/(?:starred|following)\//, why: personal },
  { operations: /\/subscriptions?(?:\/\{user\})?$/, why: personal },
  { operations: / \/api\/v1\/(?:repos\/\{owner\}\/\{repo\}\/)?notifications/, why: personal },
]

/** Changing routes outside of the two APIs and the registries, and what records what they do. */
export const otherRoutes: readonly Listed[] = [
  { operations: /\/git-receive-pack$/, why: 'forge/audit/code: one entry for each push' },
  { operations: /\/git-upload-pack$/, why: 'it changes nothing' },
  {
    operations: /^POST \/api\/actions\/|\/(?:twirp|actions_pipeline)\//,
    why: 'runs and jobs show what runners report',
  },
  {
    operations: /^POST \/(?:-\/admin|settings|org|repo|\{owner\}|\{username\})(?:\/|$)/,
    why: 'forms call the operations of the API (pages/operations/perform.ts), or record as these do',
  },
  {
    operations: /^POST \/overview\/manage/,
    why: 'pages/manage: forms of the editor record what they publish',
  },
  {
    operations: /^POST \/login/,
    why: 'pages/settings/codes, forge/auth: passwords and codes are recorded, sessions are listed',
  },
  { operations: /^POST \/notifications$/, why: personal },
]

/** Operations that need more than the test's fixture has; the test that expects their entry. */
export const recordedElsewhere: readonly { operations: RegExp; action: string; test: string }[] = [
  { operations: /\/\{run\}\/cancel$/, action: 'workflow_run.cancelled', test: 'pages/runs/run' },
  { operations: /\/rerun(?:-failed-jobs)?$/, action: 'workflow_run.rerun', test: 'pages/runs/run' },
  { operations: /\/\{run\}\/approve$/, action: 'workflow_run.approved', test: 'actions/trigger/pulls' },
  {
    operations: /^POST .*\/runners\/registration-token$/,
    action: 'registration_token.created',
    test: 'forge/actions/runners',
  },
  {
    operations: /\/workflows\/\{workflow_id\}\/enable$/,
    action: 'workflow.enabled',
    test: 'forge/actions/workflows',
  },
  {
    operations: /\/pulls\/\{index\}\/update$|\/merge-upstream$/,
    action: 'code.pushed',
    test: 'forge/audit/code',
  },
  {
    operations: /^DELETE .*\/orgs\/\{org\}$/,
    action: 'organization.deleted',
    test: 'forge/orgs/org-removal',
  },
  {
    operations: /^POST .*\/unadopted\//,
    action: 'repository.adopted',
    test: 'forge/repo-lifecycle/unadopted',
  },
  { operations: /\/totp$/, action: 'user.totp_removed', test: 'forge/users/credentials' },
  { operations: /\/redeliver$/, action: 'hook.redelivered', test: 'forge/webhooks/hook-deliveries' },
  {
    operations: /^PUT .*\/(?:\{repo\}\/teams\/\{team\}|teams\/\{id\}\/repos\/\{org\}\/\{repo\})$/,
    action: 'team.repository_added',
    test: 'forge/collaborators/team-repos',
  },
  { operations: /\/media\/pictures$/, action: 'media.published', test: 'site/pictures' },
  {
    operations: /^(?:PUT|DELETE) .*\{name\}\/-rev\//,
    action: 'package.deleted',
    test: 'forge/packages/packages',
  },
  { operations: /^DELETE .*\/lock$/, action: 'issue.unlocked', test: 'forge/issues/issue-care' },
  { operations: /^DELETE .*\/dist-tags\//, action: 'package.untagged', test: 'forge/packages/npm/registry' },
  {
    operations: /^DELETE .*\/orgs\/\{org\}\/members\//,
    action: 'member.removed',
    test: 'forge/orgs/members',
  },
  { operations: /^PUT .*\/dist-tags\//, action: 'package.tagged', test: 'forge/packages/npm/registry' },
]
