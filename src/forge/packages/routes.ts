import { routesOf } from '../../http/route/api.ts'
import type { ForgeTools } from '../route.ts'
import * as generic from './generic-registry.ts'
import * as npm from './npm/registry.ts'
import * as npmSearch from './npm/search.ts'
import * as npmTags from './npm/tags.ts'

/** The operations of the package registries, by format. */
export const registryRoutes = routesOf<ForgeTools>(generic, npm, npmTags, npmSearch)
