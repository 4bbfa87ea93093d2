import { routesOf } from '../http/route/api.ts'
import * as account from './account.ts'
import * as adminAudit from './admin/audit.ts'
import * as adminBadges from './admin/badges.ts'
import * as adminDelivery from './admin/delivery.ts'
import * as adminEmails from './admin/emails.ts'
import * as adminMails from './admin/mails.ts'
import * as adminOrganizations from './admin/organizations.ts'
import * as adminOverview from './admin/overview.ts'
import * as adminPackages from './admin/packages.ts'
import * as adminRunners from './admin/runners.ts'
import * as adminRuns from './admin/runs.ts'
import * as adminSessions from './admin/sessions.ts'
import * as adminStorage from './admin/storage.ts'
import * as adminTasks from './admin/tasks.ts'
import * as adminUnadopted from './admin/unadopted.ts'
import * as adminUser from './admin/user.ts'
import * as adminUserBelongings from './admin/user-belongings.ts'
import * as adminUserDeletion from './admin/user-deletion.ts'
import * as adminUserSignIn from './admin/user-sign-in.ts'
import * as adminUsers from './admin/users.ts'
import * as adminVariables from './admin/variables.ts'
import * as adminWebhook from './admin/webhook.ts'
import * as adminWebhooks from './admin/webhooks.ts'
import * as archive from './archive.ts'
import * as assets from './assets.ts'
import * as avatar from './avatar.ts'
import * as blame from './code/blame.ts'
import * as commit from './code/commit.ts'
import * as commits from './code/commits.ts'
import * as downloads from './code/downloads.ts'
import * as edit from './code/edit.ts'
import * as findFile from './code/find.ts'
import * as refs from './code/refs.ts'
import * as searchCode from './code/search.ts'
import * as source from './code/source.ts'
import * as codeTexts from './code/texts.ts'
import * as exploreOrganizations from './explore/organizations.ts'
import * as explorePackages from './explore/packages.ts'
import * as exploreRepositories from './explore/repositories.ts'
import * as exploreUsers from './explore/users.ts'
import * as feed from './feed.ts'
import * as forgeFeeds from './feeds/feeds.ts'
import * as home from './home.ts'
import * as completions from './issues/completions.ts'
import * as editText from './issues/edit-text.ts'
import * as issue from './issues/issue.ts'
import * as issues from './issues/issues.ts'
import * as newIssue from './issues/new-issue.ts'
import * as milestoneForms from './milestones/milestone-forms.ts'
import * as milestones from './milestones/milestones.ts'
import * as organization from './organizations/organization.ts'
import * as originalAddresses from './original-addresses.ts'
import * as overview from './overview.ts'
import * as hooks from './owned/hook-routes.ts'
import * as organizationPeople from './owned/organization-people-routes.ts'
import * as organizationOwned from './owned/organization-routes.ts'
import * as personOwned from './owned/person-routes.ts'
import * as pictures from './owned/pictures.ts'
import * as repositoryOwned from './owned/repository-routes.ts'
import * as repositorySections from './owned/repository-settings-routes.ts'
import * as packages from './packages.ts'
import * as notifications from './person/notifications.ts'
import * as pullCommits from './pulls/commits.ts'
import * as compare from './pulls/compare.ts'
import * as editReviewComment from './pulls/edit-comment.ts'
import * as pullFiles from './pulls/files.ts'
import * as pull from './pulls/pull.ts'
import * as pulls from './pulls/pulls.ts'
import * as attachments from './releases/attachments.ts'
import * as releaseForms from './releases/release-forms.ts'
import * as releases from './releases/releases.ts'
import * as newRepository from './repositories/new-repository.ts'
import * as readerActions from './repositories/reader-actions.ts'
import * as repository from './repositories/repository.ts'
import * as repositorySettings from './repositories/settings.ts'
import type { PageTools } from './route.ts'
import * as runBadges from './runs/badge.ts'
import * as runControl from './runs/control.ts'
import * as job from './runs/job.ts'
import * as runs from './runs/list.ts'
import * as run from './runs/run.ts'
import * as runStart from './runs/start.ts'
import * as codes from './settings/codes.ts'
import * as emails from './settings/emails.ts'
import * as gpgKeys from './settings/gpg-keys.ts'
import * as keys from './settings/keys.ts'
import * as password from './settings/password.ts'
import * as profile from './settings/profile.ts'
import * as sessions from './settings/sessions.ts'
import * as tokens from './settings/tokens.ts'
import * as forgotten from './sign-in/forgotten.ts'
import * as login from './sign-in/login.ts'
import * as mailLinks from './sign-in/mail-links.ts'
import * as newPassword from './sign-in/new-password.ts'
import * as manage from './site/manage.ts'
import * as mediaEditor from './site/media-editor.ts'
import * as trash from './site/trash.ts'
import * as upload from './site/upload.ts'
import * as write from './site/write.ts'

/** The pages, by noun. */
export const pageRoutes = routesOf<PageTools>(
  account,
  adminAudit,
  adminBadges,
  adminDelivery,
  adminEmails,
  adminOrganizations,
  adminOverview,
  adminPackages,
  adminRunners,
  adminRuns,
  adminSessions,
  adminMails,
  adminStorage,
  adminTasks,
  adminUnadopted,
  adminUser,
  adminUserBelongings,
  adminUserDeletion,
  adminUserSignIn,
  adminUsers,
  adminVariables,
  adminWebhook,
  adminWebhooks,
  assets,
  attachments,
  avatar,
  archive,
  blame,
  commit,
  commits,
  compare,
  downloads,
  edit,
  findFile,
  refs,
  searchCode,
  source,
  codeTexts,
  exploreOrganizations,
  explorePackages,
  exploreRepositories,
  exploreUsers,
  home,
  completions,
  editText,
  issue,
  issues,
  newIssue,
  overview,
  hooks,
  organization,
  originalAddresses,
  organizationPeople,
  organizationOwned,
  personOwned,
  pictures,
  repositoryOwned,
  repositorySections,
  packages,
  pull,
  pulls,
  releases,
  releaseForms,
  pullCommits,
  pullFiles,
  editReviewComment,
  newRepository,
  readerActions,
  repository,
  repositorySettings,
  feed,
  forgeFeeds,
  job,
  run,
  runControl,
  runBadges,
  runStart,
  runs,
  login,
  newPassword,
  forgotten,
  mailLinks,
  manage,
  milestones,
  milestoneForms,
  mediaEditor,
  trash,
  upload,
  write,
  profile,
  password,
  emails,
  tokens,
  keys,
  gpgKeys,
  notifications,
  codes,
  sessions,
)
