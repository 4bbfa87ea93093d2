import type { Piece } from '../../../src/http/openapi/schema.ts'
import type { Fixture } from './fields.ts'
import { GPG_KEY_ID, OTHER_GPG_KEY, signedByGpgKey } from './gpg-key.fixtures.ts'
import { dotPicture } from './pictures.ts'
import { ACCEPTED } from './ssh-key.fixtures.ts'

/** Bodies that operations accept, and values of their fields. */

export const keyLine = (at: number) => ACCEPTED[at]?.line
const base64 = (text: string) => Buffer.from(text).toString('base64')
const image = dotPicture.base64
const otherImage =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const hook = { config: { url: 'http://127.0.0.1:1/', content_type: 'json' }, events: ['push'] }
const guide = (text: string) => `--- a/docs/guide.md\n+++ b/docs/guide.md\n@@ -1 +1 @@\n-A guide\n+${text}\n`
/** Commits to a branch that is there. */
const onOther = { new_branch: 'feature/one', force_push: true }
/** What makes each list of a rule count. */
const rule = {
  enable_push: true,
  enable_push_whitelist: true,
  enable_force_push: true,
  enable_force_push_allowlist: true,
  enable_merge_whitelist: true,
  enable_bypass_allowlist: true,
  enable_status_check: true,
  enable_approvals_whitelist: true,
}

/** A body that is accepted, by the name of its schema; absent: an empty one. */
export const bodies = ({ first, objects, gpgToken }: Fixture): Readonly<Record<string, unknown>> => ({
  ApplyDiffPatchFileOptions: { content: guide('Another guide'), ...onOther },
  ChangeFilesOptions: {
    files: [{ operation: 'update', path: 'README.md', content: base64('new'), sha: objects.blobs }],
    ...onOther,
  },
  CreateAccessTokenOption: { name: 'third', scopes: ['read:user'] },
  CreateActionWorkflowDispatch: { ref: 'main' },
  CreateBadgeOption: { slug: 'calm' },
  CreateBranchProtectionOption: { branch_name: 'stable', ...rule },
  CreateBranchRepoOption: { new_branch_name: 'fresh' },
  CreateEmailOption: { emails: ['ada3@example.com'] },
  CreateFileOptions: { content: base64('new'), ...onOther },
  CreateForkOption: { name: 'forked', organization: 'guild' },
  CreateGPGKeyOption: { armored_public_key: OTHER_GPG_KEY },
  CreateHookOption: { type: 'gitea', active: true, ...hook },
  CreateIssueCommentOption: { body: 'A comment' },
  CreateIssueOption: { title: 'Another' },
  CreateKeyOption: { title: 'another', key: keyLine(3) },
  CreateLabelOption: { name: 'size/big', color: '#00aa00' },
  CreateMilestoneOption: { title: 'v3' },
  CreateOrUpdateSecretOption: { data: 'secret' },
  CreateOrgOption: { username: 'club' },
  CreatePullReviewCommentReplyOptions: { body: 'A reply' },
  CreatePullReviewOptions: {
    event: 'COMMENT',
    body: 'Seen',
    comments: [{ path: 'topic.txt', body: 'x', new_position: 1 }],
  },
  CreateReleaseOption: { tag_name: 'v2' },
  CreateRepoOption: { name: 'novel', auto_init: true },
  CreateStatusOption: { state: 'success' },
  CreateTagOption: { tag_name: 'v3' },
  CreateTagProtectionOption: {
    name_pattern: 'beta-*',
    whitelist_usernames: ['ada'],
    whitelist_teams: ['readers'],
  },
  CreateTeamOption: { name: 'writers', permission: 'read', units: ['repo.code'] },
  CreateUserOption: { username: 'grace', email: 'grace@example.com', password: 'a long password' },
  CreateVariableOption: { value: 'one' },
  DeleteEmailOption: { emails: ['ada2@example.com'] },
  DeleteFileOptions: { sha: objects.blobs, ...onOther },
  EditActionRunnerOption: { disabled: false },
  EditBranchProtectionOption: rule,
  EditDeadlineOption: { due_date: '2026-05-01T00:00:00Z' },
  EditIssueCommentOption: { body: 'Edited' },
  EditPullReviewCommentOptions: { body: 'Edited' },
  EditReactionOption: { content: 'heart' },
  GenerateRepoOption: { owner: 'ada', name: 'generated', labels: true },
  GetFilesOptions: { files: ['README.md'] },
  IssueAssigneesOption: { assignees: ['ada'] },
  IssueLabelsOption: { labels: ['kind/bug'] },
  MarkdownOption: { Text: '# A\n\n[x](y.md) #1', Mode: 'gfm', Context: 'ada/code' },
  MarkupOption: { Text: '# A\n\n[x](y.md) #1', Mode: 'file', Context: 'ada/code', FilePath: 'a.md' },
  PullReviewRequestOptions: { reviewers: ['ada'] },
  RenameBranchRepoOption: { name: 'feature/two' },
  RenameOrgOption: { new_name: 'club' },
  RenameUserOption: { new_username: 'evelyn' },
  RepoTopicOptions: { topics: ['engine'] },
  SubmitPullReviewOptions: { event: 'COMMENT', body: 'Good' },
  TransferRepoOption: { new_owner: 'guild' },
  UpdateBranchProtectionPriories: { ids: [1] },
  UpdateBranchRepoOption: { new_commit_id: first, force: true },
  UpdateFileOptions: { content: base64('changed'), sha: objects.blobs, ...onOther },
  UpdateRepoAvatarOption: { image },
  UpdateUserAvatarOption: { image },
  UpdateVariableOption: { value: 'two' },
  VerifyGPGKeyOption: { key_id: GPG_KEY_ID, armored_signature: signedByGpgKey(gpgToken) },
  UserBadgeOption: { badge_slugs: ['kind'] },
})

/** Values of fields whose type does not say what is accepted, by the ends of their literals. */
const special = ({ first, commit, ...made }: Fixture): [RegExp, readonly unknown[]][] => [
  [/(?:\/orgs username|new_username)$/, ['another']],
  [/(?:\/contents.* content|files\.0\.content)$/, [base64('another')]],
  [/(?:\/archive|ball)\/.* path$/, [['docs']]],
  [/ includes$/, ['file_content', 'commit_metadata']],
  [/ not$/, [first]],
  [/ inputs$/, [{ level: 'debug' }]],
  [/issues\/search \? owner$/, ['eve']],
  [/milestones.* state$/, ['closed']],
  [/ Mode$/, ['comment', 'markdown', 'markup']],
  [/ FilePath$/, ['a.org']],
  [/reviews.* event$/, ['APPROVED']],
  [/assets\/.* name$/, ['another.txt']],
  [/protections.* \w*usernames?$/, [['ada'], []]],
  [/tag_protections whitelist_teams$/, [[]]],
  [/file-contents \? body$/, ['{"files":["docs/guide.md"]}']],
  [/PUT .* new_commit_id$/, [commit]],
  [/files\.0\.from_path$/, ['docs/manual.md']],
  [/default_branch$/, ['feature/one', 'another']],
  [/ repository$/, [`ada/${made.lifts}`]],
  [/ include_desc$/, ['false']],
  [/ config\.content_type$/, ['form']],
  [/ config\.http_method$/, ['GET']],
  [/diffpatch content$/, [guide('A third guide')]],
  [/contents.* (?:branch|sha)$/, ['feature/one']],
  [/reactions content$/, ['+1', 'eyes']],
  [/ (?:since|created_at|expires_at|due_date|due_on|last_read_at)$/, ['2027-01-01T00:00:00Z']],
  [/ (?:before|until)$/, ['2020-01-01T00:00:00Z']],
  [/dates\.\w+$/, ['2020-01-01T00:00:00Z']],
  [/ (?:assignee|new_owner|actor|poster|\w+_by)$/, ['eve']],
  [/ (?:assignees|reviewers)$/, [['eve'], ['aaron'], []]],
  [/ color$/, ['#112233']],
  [/ (?:commit_id|new_commit_id|target|target_commitish|old_ref_name)$/, [first]],
  [/ (?:old_branch_name|ref)$/, ['feature/one', 'another']],
  [/ old_commit_id$/, [commit, first]],
  [/pulls.* labels$/, [[made.pulls.label]]],
  [/pulls.* milestone$/, [made.pulls.milestone]],
  [/issues.* labels$/, [[made.label]]],
  [/ milestone$/, [made.milestone]],
  [/ team_ids$/, [[made.team]]],
  [/hooks.* config\.url$/, ['http://127.0.0.1:2/']],
  [/hooks.* events$/, [['issues']]],
  [/ (?:website|target_url|image_url)$/, ['https://example.org/']],
  [/ email$/, ['other@example.com']],
  [/ emails$/, [['other@example.com'], ['ada@example.com']]],
  [/ badge_slugs$/, [['kind', 'brave'], ['brave']]],
  [/ image$/, [otherImage]],
  [/ key$/, [keyLine(4)]],
  [/ scopes$/, [['read:issue']]],
  [/ \w*teams$/, [['readers']]],
  [/ units$/, [['repo.issues']]],
  [/ units_map$/, [{ 'repo.issues': 'write' }]],
  [/ gitignores$/, ['Go']],
  [/ license$/, ['MIT']],
  [/ issue_labels$/, ['Default']],
  [/ password$/, ['another long password']],
  [/admin\/users\/\{username\} type$/, ['Bot']],
]

/** Values that may be sent in a field; the last words of its literal are its name. */
export function valuesFor(made: Fixture) {
  const known = special(made)
  const valuesOf = (literal: string, schema: Piece): readonly unknown[] => {
    const own = known.find(([pattern]) => pattern.test(literal))?.[1]
    if (own) return own
    const {
      type,
      enum: words,
      items,
      format,
    } = schema as {
      type?: string
      enum?: readonly unknown[]
      items?: Piece
      format?: string
    }
    if (words) return words.filter((word) => word !== '')
    if (type === 'boolean') return [true, false]
    if (type === 'integer' || format === 'int64') return [1, 2]
    if (type === 'array') return [...valuesOf('', items ?? {}).map((each) => [each]), []]
    return ['another', 'a']
  }
  return valuesOf
}
