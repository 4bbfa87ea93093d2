import { routesOf } from '../http/route/api.ts'
import * as jobs from './actions/jobs.ts'
import * as runControl from './actions/run-control.ts'
import * as runners from './actions/runners.ts'
import * as runs from './actions/runs.ts'
import * as secrets from './actions/secrets.ts'
import * as variables from './actions/variables.ts'
import * as workflows from './actions/workflows.ts'
import * as audit from './admin/audit.ts'
import * as cron from './admin/cron.ts'
import * as mails from './admin/mails.ts'
import * as artifacts from './artifacts/artifacts.ts'
import * as avatars from './avatars/avatars.ts'
import * as archives from './code/archives.ts'
import * as branches from './code/branches.ts'
import * as commits from './code/commits.ts'
import * as contents from './code/contents/contents.ts'
import * as fileContents from './code/contents/file-contents.ts'
import * as editorconfig from './code/editorconfig/editorconfig.ts'
import * as gitObjects from './code/git-objects.ts'
import * as raw from './code/raw.ts'
import * as tags from './code/tags.ts'
import * as fileWriting from './code/writing/file-writing.ts'
import * as mergeUpstream from './code/writing/merge-upstream.ts'
import * as collaborators from './collaborators/collaborators.ts'
import * as repoTeams from './collaborators/repo-teams.ts'
import * as teamRepos from './collaborators/team-repos.ts'
import * as commitStatuses from './commit-statuses/commit-statuses.ts'
import * as follows from './follows/follows.ts'
import * as deliveries from './hooks/deliveries.ts'
import * as hooks from './hooks/hooks.ts'
import * as issueTemplates from './issue-templates/issue-templates.ts'
import * as commentAttachments from './issues/attachments/comment-attachments.ts'
import * as issueAttachments from './issues/attachments/issue-attachments.ts'
import * as comments from './issues/comments.ts'
import * as dependencies from './issues/dependencies.ts'
import * as issueLabels from './issues/issue-labels.ts'
import * as issues from './issues/issues.ts'
import * as locks from './issues/locks.ts'
import * as pins from './issues/pins.ts'
import * as reactions from './issues/reactions.ts'
import * as issueSearch from './issues/search/issue-search.ts'
import * as deployKeys from './keys/deploy-keys.ts'
import * as gpgKeys from './keys/gpg-keys.ts'
import * as keys from './keys/keys.ts'
import * as labels from './labels/labels.ts'
import * as organizationLabels from './labels/organization-labels.ts'
import * as milestones from './milestones/milestones.ts'
import * as markup from './misc/markup.ts'
import * as signingKeys from './misc/signing-keys.ts'
import * as templates from './misc/templates.ts'
import * as version from './misc/version.ts'
import * as notifications from './notifications/notifications.ts'
import * as subscriptions from './notifications/subscriptions.ts'
import * as members from './orgs/members.ts'
import * as orgs from './orgs/orgs.ts'
import * as teamMembers from './orgs/team-members.ts'
import * as teams from './orgs/teams.ts'
import * as userOrgs from './orgs/user-orgs.ts'
import * as packages from './packages/packages.ts'
import * as branchProtections from './protection/branch-protections.ts'
import * as tagProtections from './protection/tag-protections.ts'
import * as pullChanges from './pull-changes/changes.ts'
import * as comparisons from './pull-changes/comparisons.ts'
import * as merges from './pulls/merging/merges.ts'
import * as pulls from './pulls/pulls.ts'
import * as reviewCommentChanges from './pulls/reviews/comment-changes.ts'
import * as conversations from './pulls/reviews/conversations.ts'
import * as dismissals from './pulls/reviews/dismissals.ts'
import * as requestedReviewers from './pulls/reviews/requested-reviewers.ts'
import * as reviews from './pulls/reviews/reviews.ts'
import * as releaseAttachments from './releases/attachments.ts'
import * as releases from './releases/releases.ts'
import * as generate from './repo-lifecycle/creation/generate.ts'
import * as forks from './repo-lifecycle/forks/forks.ts'
import * as repos from './repo-lifecycle/repos.ts'
import * as repositorySearch from './repo-lifecycle/search.ts'
import * as transfers from './repo-lifecycle/transfers.ts'
import * as unadopted from './repo-lifecycle/unadopted.ts'
import * as languages from './repos/languages/languages.ts'
import * as licenses from './repos/licenses/licenses.ts'
import * as topics from './repos/topics.ts'
import type { ForgeTools } from './route.ts'
import * as stars from './stars/stars.ts'
import * as timeline from './timeline/timeline.ts'
import * as tokens from './tokens/tokens.ts'
import * as badges from './users/badges.ts'
import * as credentials from './users/credentials.ts'
import * as emails from './users/emails.ts'
import * as settings from './users/settings.ts'
import * as users from './users/users.ts'

/** The operations of the Forge Management API, by noun. The name of an operation's constant is its `operationId`. */
export const forgeRoutes = routesOf<ForgeTools>(
  jobs,
  runControl,
  runners,
  runs,
  artifacts,
  secrets,
  variables,
  workflows,
  audit,
  cron,
  mails,
  tokens,
  avatars,
  archives,
  branches,
  commits,
  comparisons,
  gitObjects,
  tags,
  raw,
  contents,
  editorconfig,
  fileContents,
  fileWriting,
  mergeUpstream,
  commitStatuses,
  comments,
  issueLabels,
  dependencies,
  issueSearch,
  issueTemplates,
  issues,
  locks,
  pins,
  labels,
  organizationLabels,
  reactions,
  deployKeys,
  keys,
  gpgKeys,
  milestones,
  markup,
  signingKeys,
  templates,
  version,
  notifications,
  subscriptions,
  members,
  orgs,
  teamMembers,
  teams,
  userOrgs,
  packages,
  merges,
  pullChanges,
  pulls,
  reviews,
  conversations,
  reviewCommentChanges,
  dismissals,
  requestedReviewers,
  releaseAttachments,
  issueAttachments,
  commentAttachments,
  releases,
  branchProtections,
  tagProtections,
  collaborators,
  languages,
  licenses,
  repoTeams,
  repos,
  repositorySearch,
  generate,
  forks,
  teamRepos,
  topics,
  transfers,
  unadopted,
  stars,
  follows,
  timeline,
  badges,
  emails,
  settings,
  users,
  credentials,
  deliveries,
  hooks,
)
