import type { ForgeTools } from '../forge/route.ts'
import type { Api } from '../http/route/api.ts'
import { accountRoutes } from './account.ts'
import { assetRoutes } from './assets.ts'
import { avatarRoutes } from './avatar.ts'
import { homeRoutes } from './home.ts'
import { loginRoutes } from './login.ts'
import { manageRoutes } from './manage.ts'
import { overviewRoutes } from './overview.ts'
import { pageProfile } from './profile.ts'
import { repositoryRoutes } from './repository.ts'
import type { PageTools } from './route.ts'
import { runRoutes } from './run.ts'

/** The pages: home, overview, and what the `html_url` and `avatar_url` of answers lead to. */
export function pagesApi(
  tools: ForgeTools,
  { requireSignIn, publishing }: Pick<PageTools, 'requireSignIn' | 'publishing'>,
): Api<PageTools> {
  return {
    profile: pageProfile,
    prefix: '',
    tools: { ...tools, requireSignIn, publishing },
    routes: [
      ...homeRoutes,
      ...overviewRoutes,
      ...loginRoutes,
      ...manageRoutes,
      ...assetRoutes,
      ...avatarRoutes,
      ...accountRoutes,
      ...repositoryRoutes,
      ...runRoutes,
    ],
  }
}

/** First segments of paths that belong to other APIs, and that no account has as its name: below them there are no pages. */
export const reservedSegments: ReadonlySet<string> = new Set(['api', 'v2', 'assets', 'avatars'])
