import type { Api } from '../http/route/api.ts'
import { Problem } from '../http/route/problem.ts'
import { jobRoutes } from './actions/jobs.ts'
import { runControlRoutes } from './actions/run-control.ts'
import { runnerRoutes } from './actions/runners.ts'
import { runRoutes } from './actions/runs.ts'
import { secretRoutes } from './actions/secrets.ts'
import { variableRoutes } from './actions/variables.ts'
import { workflowRoutes } from './actions/workflows.ts'
import { auditRoutes } from './admin/audit.ts'
import { cronRoutes } from './admin/cron.ts'
import { tokenRoutes } from './auth/tokens.ts'
import { commitStatusRoutes } from './commit-statuses/commit-statuses.ts'
import { commentRoutes } from './issues/comments.ts'
import { issueLabelRoutes } from './issues/issue-labels.ts'
import { issueSearchRoutes } from './issues/issue-search.ts'
import { issueRoutes } from './issues/issues.ts'
import { labelRoutes } from './issues/labels.ts'
import { reactionRoutes } from './issues/reactions.ts'
import { keyRoutes } from './keys/keys.ts'
import { markupRoutes } from './misc/markup.ts'
import { templateRoutes } from './misc/templates.ts'
import { connectRoutes } from './misc/version.ts'
import { notificationRoutes } from './notifications/notifications.ts'
import { subscriptionRoutes } from './notifications/subscriptions.ts'
import { memberRoutes } from './orgs/members.ts'
import { orgRoutes } from './orgs/orgs.ts'
import { teamMemberRoutes } from './orgs/team-members.ts'
import { teamRoutes } from './orgs/teams.ts'
import { userOrgRoutes } from './orgs/user-orgs.ts'
import { packageRoutes } from './packages/packages.ts'
import { readForgeBody, refuseBody } from './protocol/body.ts'
import { collaboratorRoutes } from './repos/collaborators.ts'
import { languageRoutes } from './repos/languages/languages.ts'
import { repoTeamRoutes } from './repos/repo-teams.ts'
import { repoRoutes } from './repos/repos.ts'
import { teamRepoRoutes } from './repos/team-repos.ts'
import { topicRoutes } from './repos/topics.ts'
import { transferRoutes } from './repos/transfers.ts'
import { unadoptedRoutes } from './repos/unadopted.ts'
import type { ForgeTools } from './route.ts'
import { badgeRoutes } from './users/badges.ts'
import { emailRoutes } from './users/emails.ts'
import { userRoutes } from './users/users.ts'
import { hookRoutes } from './webhooks/hooks.ts'

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
      headers: Object.entries({
        'Cache-Control': 'max-age=0, private, must-revalidate',
        'X-Content-Type-Options': 'nosniff',
        'X-Frame-Options': 'SAMEORIGIN',
      }).flat(),
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
