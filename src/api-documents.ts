import { FORGE_PREFIX } from './forge/api.ts'
import { forgeDocument, forgeSecurity } from './forge/document.ts'
import { swaggerOf } from './http/openapi/swagger.ts'
import type { Mounted } from './http/route/api.ts'
import { siteDocument } from './site/document.ts'

/** `28.0.0` is the release of the API that clients compare; the part after the plus is our version. */
export const forgeVersion = `28.0.0+${__VERSION__}`

/** The documents of both APIs, each made when it is requested. */
export const documentsOf = (
  forge: readonly Mounted[],
  site: readonly Mounted[],
  { queryTokens, root }: { queryTokens: boolean; root: string },
) => {
  const ofForge = () =>
    forgeDocument({ version: forgeVersion, routes: forge, prefix: FORGE_PREFIX, queryTokens })
  const security = { BearerToken: forgeSecurity.BearerToken }
  return {
    forge: ofForge,
    forgeFormerly: () => swaggerOf(ofForge(), new URL(root).pathname.replace(/\/$/, '') + FORGE_PREFIX),
    site: () => siteDocument({ version: __VERSION__, routes: site, security }),
  }
}
