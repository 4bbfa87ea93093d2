import type { ForgeTools } from '../forge/route.ts'
import type { Api } from '../http/route/api.ts'
import { accountRoutes } from './account.ts'
import { actionsRoutes } from './actions.ts'
import { assetRoutes } from './assets.ts'
import { avatarRoutes } from './avatar.ts'
import { commitRoutes } from './code/commit.ts'
import { commitsRoutes } from './code/commits.ts'
import { compareRoutes } from './code/compare.ts'
import { rawRoutes } from './code/raw.ts'
import { refsRoutes } from './code/refs.ts'
import { sourceRoutes } from './code/source.ts'
import { homeRoutes } from './home.ts'
import { issueRoutes } from './issue.ts'
import { issuesRoutes } from './issues.ts'
import { manageRoutes } from './manage.ts'
import { overviewRoutes } from './overview.ts'
import { packageRoutes } from './packages.ts'
import { pageProfile } from './profile.ts'
import { repositoryRoutes } from './repository.ts'
import type { PageTools } from './route.ts'
import { runRoutes } from './run.ts'
import { loginRoutes } from './session/login.ts'
import { withSessions } from './session/session-reader.ts'

/** The pages: home, overview, and what the `html_url` and `avatar_url` of answers lead to. */
export function pagesApi(
  tools: ForgeTools,
  { requireSignIn, publishing, sessions }: Pick<PageTools, 'requireSignIn' | 'publishing' | 'sessions'>,
): Api<PageTools> {
  return {
    profile: pageProfile,
    prefix: '',
    tools: {
      ...tools,
      authenticator: withSessions(tools.authenticator, sessions),
      requireSignIn,
      publishing,
      sessions,
    },
    routes: [
      ...homeRoutes,
      ...overviewRoutes,
      ...loginRoutes,
      ...manageRoutes,
      ...assetRoutes,
      ...avatarRoutes,
      ...accountRoutes,
      ...repositoryRoutes,
      ...sourceRoutes,
      ...rawRoutes,
      ...refsRoutes,
      ...commitRoutes,
      ...commitsRoutes,
      ...compareRoutes,
      ...issuesRoutes,
      ...issueRoutes,
      ...actionsRoutes,
      ...runRoutes,
      ...packageRoutes,
    ],
  }
}

/**
 * First segments of paths that belong to other APIs, and that no account has as its name: below them there are no
 * pages.
 */
export const reservedSegments: ReadonlySet<string> = new Set(['api', 'v2', 'assets', 'avatars'])
