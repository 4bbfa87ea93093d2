import type { Api } from '../http/api.ts'
import { Problem } from '../http/problem.ts'
import { AuditEntry, AuditPage } from './audit.shape.ts'
import { auditRoutes } from './audit.ts'
import { Badge, CreateBadgeOption, EditBadgeOption, UserBadgeOption } from './badge.shape.ts'
import { badgeRoutes } from './badges.ts'
import { readForgeBody, refuseBody } from './body.ts'
import { AddCollaboratorOption, collaboratorRoutes, RepoCollaboratorPermission } from './collaborators.ts'
import { commentRoutes } from './comments.ts'
import { CombinedStatus, CommitStatus, CreateStatusOption } from './commit-status.shape.ts'
import { commitStatusRoutes } from './commit-statuses.ts'
import { connectRoutes } from './connect.ts'
import { Cron, CronTaskDetail } from './cron.shape.ts'
import { cronRoutes } from './cron.ts'
import { CreateEmailOption, DeleteEmailOption, Email } from './email.shape.ts'
import { emailRoutes } from './emails.ts'
import { Hook, HookAttempt, HookDelivery, HookDeliveryDetails } from './hook.shape.ts'
import { CreateHookOption, EditHookOption } from './hook-options.ts'
import { hookRoutes } from './hooks.ts'
import {
  CreateIssueCommentOption,
  CreateIssueOption,
  CreateLabelOption,
  EditIssueCommentOption,
  EditIssueOption,
  EditLabelOption,
  IssueLabelsOption,
} from './issue.option.ts'
import { Comment, Issue, Label } from './issue.shape.ts'
import { issueLabelRoutes } from './issue-labels.ts'
import { issueRoutes } from './issues.ts'
import { WorkflowJob, WorkflowJobsList, WorkflowStep } from './job.shape.ts'
import { jobRoutes } from './jobs.ts'
import { CreateKeyOption, PublicKey } from './key.shape.ts'
import { keyRoutes } from './keys.ts'
import { labelRoutes } from './labels.ts'
import { MarkdownOption, MarkupOption, markupRoutes } from './markup.ts'
import { memberRoutes } from './members.ts'
import { NotificationCount, NotificationSubject, NotificationThread } from './notification.shape.ts'
import { notificationRoutes } from './notifications.ts'
import { orgHookRoutes } from './org-hooks.ts'
import { CreateOrgOption, EditOrgOption } from './org-options.ts'
import { Organization } from './organization.shape.ts'
import { orgRoutes } from './orgs.ts'
import { Package, PackageFile } from './package.shape.ts'
import { packageRoutes } from './packages.ts'
import { EditReactionOption, Reaction } from './reaction.shape.ts'
import { reactionRoutes } from './reactions.ts'
import { CreateRepoOption, EditRepoOption, TransferRepoOption } from './repo.option.ts'
import { Repository } from './repo.shape.ts'
import { repoHookRoutes } from './repo-hooks.ts'
import { repoRunnerRoutes } from './repo-runners.ts'
import { repoTeamRoutes } from './repo-teams.ts'
import { repoRoutes } from './repos.ts'
import type { ForgeTools } from './route.ts'
import { WorkflowRun, WorkflowRunsList } from './run.shape.ts'
import { runControlRoutes } from './run-control.ts'
import { EditActionRunnerOption, RegistrationToken, Runner, RunnerList } from './runner.shape.ts'
import { runnerRoutes } from './runners.ts'
import { runRoutes } from './runs.ts'
import { CreateOrUpdateSecretOption, Secret } from './secret.shape.ts'
import { secretRoutes } from './secrets.ts'
import { subscriptionRoutes, WatchInfo } from './subscriptions.ts'
import { Team } from './team.shape.ts'
import { teamMemberRoutes } from './team-members.ts'
import { teamRepoRoutes } from './team-repos.ts'
import { teamRoutes } from './teams.ts'
import {
  GitignoreTemplateInfo,
  LabelTemplate,
  LicensesTemplateListEntry,
  LicenseTemplateInfo,
} from './templates.shape.ts'
import { templateRoutes } from './templates.ts'
import { AccessToken, CreateAccessTokenOption } from './token.shape.ts'
import { tokenRoutes } from './tokens.ts'
import { RepoTopicOptions, TopicName, TopicResponse } from './topic.shape.ts'
import { topicRoutes } from './topics.ts'
import { transferRoutes } from './transfers.ts'
import { unadoptedRoutes } from './unadopted.ts'
import { CreateUserOption, EditUserOption, RenameUserOption } from './user.option.ts'
import { User } from './user.shape.ts'
import { userHookRoutes } from './user-hooks.ts'
import { userOrgRoutes } from './user-orgs.ts'
import { userRoutes } from './users.ts'
import { ActionVariable, CreateVariableOption, UpdateVariableOption } from './variable.shape.ts'
import { variableRoutes } from './variables.ts'
import {
  ActionWorkflow,
  ActionWorkflowList,
  CreateActionWorkflowDispatch,
  RunDetails,
} from './workflow.shape.ts'
import { workflowRoutes } from './workflows.ts'

/** The record types of the specification, under its names. */
export const forgeShapes = {
  User,
  CreateUserOption,
  EditUserOption,
  RenameUserOption,
  Organization,
  CreateOrgOption,
  EditOrgOption,
  Team,
  Repository,
  CreateRepoOption,
  EditRepoOption,
  TopicName,
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

/** How callers say who they are: a token, or a name with a password. */
export const forgeSecurity = {
  token: { type: 'http', scheme: 'bearer' },
  password: { type: 'http', scheme: 'basic' },
} as const

/** The Forge Management API. */
export function forgeApi(tools: ForgeTools): Api<ForgeTools> {
  const url = `${tools.root}api/swagger`
  return {
    prefix: '/api/v1',
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
      ...collaboratorRoutes,
      ...teamRepoRoutes,
      ...repoTeamRoutes,
      ...unadoptedRoutes,
      ...runnerRoutes,
      ...repoRunnerRoutes,
      ...secretRoutes,
      ...variableRoutes,
      ...runRoutes,
      ...runControlRoutes,
      ...workflowRoutes,
      ...commitStatusRoutes,
      ...jobRoutes,
      ...hookRoutes,
      ...repoHookRoutes,
      ...orgHookRoutes,
      ...userHookRoutes,
      ...notificationRoutes,
      ...packageRoutes,
      ...issueRoutes,
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
    voice: {
      base: '/api/v1',
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
