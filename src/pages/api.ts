import { FailureCounts } from '../forge/auth/failure-counts.ts'
import type { ForgeTools } from '../forge/route.ts'
import type { Api } from '../http/route/api.ts'
import { explainingErrors } from './explained-errors.ts'
import { pageProfile } from './profile.ts'
import type { PageTools } from './route.ts'
import { pageRoutes } from './routes.ts'
import { withSessions } from './session/session-reader.ts'
import { type SiteName, withSiteName } from './site-name.ts'

/** Five requests at once, and five an hour: as many mails get to one recipient. */
const forgottenLimit = { failures: 5, forgottenAfter: 720_000 }

/** The pages: home, overview, and what the `html_url` and `avatar_url` of answers lead to. */
export function pagesApi(
  tools: ForgeTools,
  {
    requireSignIn,
    publishing,
    sessions,
    pictures,
    siteName,
  }: Pick<PageTools, 'requireSignIn' | 'publishing' | 'sessions' | 'pictures'> & { siteName: SiteName },
): Api<PageTools> {
  return {
    profile: { ...pageProfile, finish: (document) => siteName.writeInto(document) },
    prefix: '',
    tools: {
      ...tools,
      authenticator: withSessions(tools.authenticator, sessions),
      requireSignIn,
      publishing,
      sessions,
      pictures,
      forgotten: new FailureCounts(forgottenLimit),
    },
    routes: Object.fromEntries(
      Object.entries(pageRoutes).map(([name, route]) => [
        name,
        route.returns.media === undefined ? route : withSiteName(explainingErrors(route), siteName),
      ]),
    ),
  }
}

/**
 * First segments of paths that belong to other APIs, and that no account has as its name: below them there are no
 * pages.
 */
export const reservedSegments: ReadonlySet<string> = new Set(['api', 'v2', 'assets', 'avatars'])
