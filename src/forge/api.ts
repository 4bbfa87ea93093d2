import type { Api } from '../http/route/api.ts'
import { Problem } from '../http/route/problem.ts'
import { WorkflowJob, WorkflowJobsList, WorkflowStep } from './actions/job.shape.ts'
import { jobRoutes } from './actions/jobs.ts'
import { WorkflowRun, WorkflowRunsList } from './actions/run.shape.ts'
import { runControlRoutes } from './actions/run-control.ts'
import { EditActionRunnerOption, RegistrationToken, Runner, RunnerList } from './actions/runner.shape.ts'
import { runnerRoutes } from './actions/runners.ts'
import { runRoutes } from './actions/runs.ts'
import { CreateOrUpdateSecretOption, Secret } from './actions/secret.shape.ts'
import { secretRoutes } from './actions/secrets.ts'
import { ActionVariable, CreateVariableOption, UpdateVariableOption } from './actions/variable.shape.ts'
import { variableRoutes } from './actions/variables.ts'
import {
  ActionWorkflow,
  ActionWorkflowList,
  CreateActionWorkflowDispatch,
  RunDetails,
} from './actions/workflow.shape.ts'
import { workflowRoutes } from './actions/workflows.ts'
import { AuditEntry, AuditPage } from './admin/audit.shape.ts'
import { auditRoutes } from './admin/audit.ts'
import { Cron, CronTaskDetail } from './admin/cron.shape.ts'
import { cronRoutes } from './admin/cron.ts'
import { AccessToken, CreateAccessTokenOption } from './auth/token.shape.ts'
import { tokenRoutes } from './auth/tokens.ts'
import { CombinedStatus, CommitStatus, CreateStatusOption } from './commit-statuses/commit-status.shape.ts'
import { commitStatusRoutes } from './commit-statuses/commit-statuses.ts'
import { commentListRoutes } from './issues/comment-lists.ts'
import { commentRoutes } from './issues/comments.ts'
import {
  CreateIssueCommentOption,
  CreateIssueOption,
  CreateLabelOption,
  EditIssueCommentOption,
  EditIssueOption,
  EditLabelOption,
  IssueLabelsOption,
} from './issues/issue.option.ts'
import { Comment, Issue, Label } from './issues/issue.shape.ts'
import { issueLabelRoutes } from './issues/issue-labels.ts'
import { issueSearchRoutes } from './issues/issue-search.ts'
import { issueRoutes } from './issues/issues.ts'
import { labelRoutes } from './issues/labels.ts'
import { EditReactionOption, Reaction } from './issues/reaction.shape.ts'
import { reactionRoutes } from './issues/reactions.ts'
import { CreateKeyOption, PublicKey } from './keys/key.shape.ts'
import { keyRoutes } from './keys/keys.ts'
import { MarkdownOption, MarkupOption, markupRoutes } from './misc/markup.ts'
import {
  GitignoreTemplateInfo,
  LabelTemplate,
  LicensesTemplateListEntry,
  LicenseTemplateInfo,
} from './misc/templates.shape.ts'
import { templateRoutes } from './misc/templates.ts'
import {
  connectRoutes,
  GeneralAPISettings,
  GeneralAttachmentSettings,
  GeneralRepoSettings,
  GeneralUISettings,
  NodeInfo,
  ServerVersion,
} from './misc/version.ts'
import {
  NotificationCount,
  NotificationSubject,
  NotificationThread,
} from './notifications/notification.shape.ts'
import { notificationRoutes } from './notifications/notifications.ts'
import { subscriptionRoutes, WatchInfo } from './notifications/subscriptions.ts'
import { memberRoutes } from './orgs/members.ts'
import { CreateOrgOption, EditOrgOption, RenameOrgOption } from './orgs/org-options.ts'
import { Organization, OrganizationPermissions } from './orgs/organization.shape.ts'
import { orgRoutes } from './orgs/orgs.ts'
import { Team } from './orgs/team.shape.ts'
import { teamMemberRoutes } from './orgs/team-members.ts'
import { CreateTeamOption, EditTeamOption } from './orgs/team-options.ts'
import { teamRoutes } from './orgs/teams.ts'
import { userOrgRoutes } from './orgs/user-orgs.ts'
import { Package, PackageFile } from './packages/package.shape.ts'
import { packageRoutes } from './packages/packages.ts'
import { readForgeBody, refuseBody } from './protocol/body.ts'
import {
  AddCollaboratorOption,
  collaboratorRoutes,
  RepoCollaboratorPermission,
} from './repos/collaborators.ts'
import { LanguageStatistics, languageRoutes } from './repos/languages/languages.ts'
import { CreateRepoOption, EditRepoOption, TransferRepoOption } from './repos/repo.option.ts'
import { Repository } from './repos/repo.shape.ts'
import { repoTeamRoutes } from './repos/repo-teams.ts'
import { repoRoutes } from './repos/repos.ts'
import { teamRepoRoutes } from './repos/team-repos.ts'
import { RepoTopicOptions, TopicName, TopicResponse } from './repos/topic.shape.ts'
import { topicRoutes } from './repos/topics.ts'
import { transferRoutes } from './repos/transfers.ts'
import { unadoptedRoutes } from './repos/unadopted.ts'
import type { ForgeTools } from './route.ts'
import { Badge, CreateBadgeOption, EditBadgeOption, UserBadgeOption } from './users/badge.shape.ts'
import { badgeRoutes } from './users/badges.ts'
import { CreateEmailOption, DeleteEmailOption, Email } from './users/email.shape.ts'
import { emailRoutes } from './users/emails.ts'
import { CreateUserOption, EditUserOption, RenameUserOption } from './users/user.option.ts'
import { User } from './users/user.shape.ts'
import { userRoutes } from './users/users.ts'
import { Hook, HookAttempt, HookDelivery, HookDeliveryDetails } from './webhooks/hook.shape.ts'
import { hookRoutes } from './webhooks/hooks.ts'
import { CreateHookOption, EditHookOption } from './webhooks/options.ts'

/** The schemas of the specification, under its names. */
export const forgeShapes = {
  ServerVersion,
  GeneralAPISettings,
  GeneralUISettings,
  GeneralRepoSettings,
  GeneralAttachmentSettings,
  NodeInfo,
  User,
  CreateUserOption,
  EditUserOption,
  RenameUserOption,
  Organization,
  CreateOrgOption,
  EditOrgOption,
  RenameOrgOption,
  OrganizationPermissions,
  Team,
  CreateTeamOption,
  EditTeamOption,
  Repository,
  CreateRepoOption,
  EditRepoOption,
  TopicName,
  LanguageStatistics,
  RepoTopicOptions,
  TopicResponse,
  AddCollaboratorOption,
  RepoCollaboratorPermission,
  Hook,
  CreateHookOption,
  EditHookOption,
  HookDelivery,
  HookDeliveryDetails,
  HookAttempt,
  AuditEntry,
  AuditPage,
  Cron,
  CronTaskDetail,
  GitignoreTemplateInfo,
  LabelTemplate,
  LicensesTemplateListEntry,
  LicenseTemplateInfo,
  MarkdownOption,
  MarkupOption,
  CreateKeyOption,
  PublicKey,
  AccessToken,
  CreateAccessTokenOption,
  Email,
  CreateEmailOption,
  DeleteEmailOption,
  Badge,
  UserBadgeOption,
  CreateBadgeOption,
  EditBadgeOption,
  Runner,
  RunnerList,
  RegistrationToken,
  EditActionRunnerOption,
  Secret,
  CreateOrUpdateSecretOption,
  ActionVariable,
  CreateVariableOption,
  UpdateVariableOption,
  WorkflowRun,
  WorkflowRunsList,
  ActionWorkflow,
  ActionWorkflowList,
  CreateActionWorkflowDispatch,
  RunDetails,
  CommitStatus,
  CombinedStatus,
  CreateStatusOption,
  WorkflowJob,
  WorkflowStep,
  WorkflowJobsList,
  NotificationThread,
  NotificationSubject,
  NotificationCount,
  Package,
  PackageFile,
  Issue,
  CreateIssueOption,
  EditIssueOption,
  Comment,
  CreateIssueCommentOption,
  EditIssueCommentOption,
  Label,
  CreateLabelOption,
  EditLabelOption,
  IssueLabelsOption,
  Reaction,
  EditReactionOption,
  WatchInfo,
  TransferRepoOption,
}

/** Where the API is mounted: its specification prints paths without it. */
export const FORGE_PREFIX = '/api/v1'

/** The Forge Management API. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of routes
export function forgeApi(tools: ForgeTools): Api<ForgeTools> {
  const url = `${tools.root}api/swagger`
  return {
    prefix: FORGE_PREFIX,
    tools,
    routes: [
      ...connectRoutes,
      ...userRoutes,
      ...keyRoutes,
      ...tokenRoutes,
      ...orgRoutes,
      ...userOrgRoutes,
      ...memberRoutes,
      ...teamRoutes,
      ...teamMemberRoutes,
      ...emailRoutes,
      ...badgeRoutes,
      ...repoRoutes,
      ...topicRoutes,
      ...languageRoutes,
      ...collaboratorRoutes,
      ...teamRepoRoutes,
      ...repoTeamRoutes,
      ...unadoptedRoutes,
      ...runnerRoutes,
      ...secretRoutes,
      ...variableRoutes,
      ...runRoutes,
      ...runControlRoutes,
      ...workflowRoutes,
      ...commitStatusRoutes,
      ...jobRoutes,
      ...hookRoutes,
      ...notificationRoutes,
      ...packageRoutes,
      ...issueRoutes,
      ...issueSearchRoutes,
      ...commentListRoutes,
      ...commentRoutes,
      ...labelRoutes,
      ...issueLabelRoutes,
      ...reactionRoutes,
      ...subscriptionRoutes,
      ...transferRoutes,
      ...auditRoutes,
      ...cronRoutes,
      ...templateRoutes,
      ...markupRoutes,
    ],
    profile: {
      base: FORGE_PREFIX,
      json: 'application/json;charset=utf-8',
      anyOrigin: false,
      headers: [
        ...['Cache-Control', 'max-age=0, private, must-revalidate'],
        ...['X-Content-Type-Options', 'nosniff'],
        ...['X-Frame-Options', 'SAMEORIGIN'],
      ],
      readBody: readForgeBody,
      brokenPath: () => new Problem(400, 'the path is not well encoded', { form: 'text' }),
      problem: ({ message, extra }) =>
        extra.form === 'brief' ? { ...extra.members, message } : { ...extra.members, message, url },
      refuse: refuseBody,
      unknownPath: () => new Problem(404, '404 page not found', { form: 'text' }),
      wrongMethod: () => new Problem(405, 'method not allowed', { form: 'empty' }),
    },
  }
}
