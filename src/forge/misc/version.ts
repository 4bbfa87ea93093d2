import * as v from 'valibot'
import { json } from '../../http/route/sends.ts'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { countPeople } from '../accounts/user-store.ts'
import { ISSUE_FILE_TYPES } from '../attachments/issue-files.ts'
import { everyone } from '../auth/access.ts'
import { REACTIONS } from '../issues/reaction.shape.ts'
import { route } from '../route.ts'
import { DEFAULT_THEME } from '../users/settings.shape.ts'

const ServerVersion = shape('ServerVersion', {
  version: described(
    v.string(),
    'Version that clients compare; after the plus stands the version of this server',
  ),
})

const GeneralAPISettings = shape('GeneralAPISettings', {
  max_response_items: described(int, 'Rows in a page at most'),
  default_paging_num: described(int, 'Rows in a page without `limit`'),
  default_git_trees_per_page: described(int, 'Kept for clients; there are no trees in this API'),
  default_max_blob_size: described(int, 'Bytes; kept for clients'),
  default_max_response_size: described(int, 'Bytes; kept for clients'),
})

const GeneralUISettings = shape('GeneralUISettings', {
  default_theme: v.string(),
  allowed_reactions: described(v.array(v.string()), 'What `content` of a reaction may be'),
  custom_emojis: v.array(v.string()),
})

const GeneralRepoSettings = shape('GeneralRepoSettings', {
  mirrors_disabled: v.boolean(),
  http_git_disabled: v.boolean(),
  migrations_disabled: v.boolean(),
  stars_disabled: v.boolean(),
  time_tracking_disabled: v.boolean(),
  lfs_disabled: v.boolean(),
})

const GeneralAttachmentSettings = shape('GeneralAttachmentSettings', {
  enabled: described(v.boolean(), 'Always `true`'),
  allowed_types: described(v.string(), 'Extensions between commas'),
  max_size: described(int, 'Of one file, in MiB'),
  max_files: described(int, 'How many forms of browsers send at once'),
})

/** Clients request this when they connect, to identify the server. The answer is the same for all callers. */

export const getVersion = route('GET /version', {
  summary: 'Version of the forge, by which clients choose their features',
  access: everyone(),
  returns: json(200, ServerVersion),
  handler: ({ tools }) => ({ version: tools.version }),
})

export const getGeneralAPISettings = route('GET /settings/api', {
  summary: 'Limits of the API',
  access: everyone(),
  returns: json(200, GeneralAPISettings),
  handler: () => ({
    max_response_items: 50,
    default_paging_num: 30,
    default_git_trees_per_page: 1000,
    default_max_blob_size: 10 * 1024 * 1024,
    default_max_response_size: 100 * 1024 * 1024,
  }),
})

export const getGeneralUISettings = route('GET /settings/ui', {
  summary: 'What a user interface may offer',
  access: everyone(),
  returns: json(200, GeneralUISettings),
  handler: () => ({
    default_theme: DEFAULT_THEME,
    allowed_reactions: [...REACTIONS],
    custom_emojis: ['git', 'gitea', 'codeberg', 'gitlab', 'github', 'gogs'],
  }),
})

export const getGeneralRepositorySettings = route('GET /settings/repository', {
  summary: 'Which features of repositories are switched off',
  access: everyone(),
  returns: json(200, GeneralRepoSettings),
  // Features that this server does not have are disabled, so that clients do not offer them.
  handler: () => ({
    mirrors_disabled: true,
    http_git_disabled: false,
    migrations_disabled: true,
    stars_disabled: false,
    time_tracking_disabled: true,
    lfs_disabled: true,
  }),
})

export const getGeneralAttachmentSettings = route('GET /settings/attachment', {
  summary: 'What may be attached to issues and comments',
  access: everyone(),
  returns: json(200, GeneralAttachmentSettings),
  handler: ({ tools }) => ({
    enabled: true,
    allowed_types: ISSUE_FILE_TYPES.join(),
    max_size: Math.floor(tools.uploadLimits.issue / 1024 ** 2),
    max_files: 5,
  }),
})

/** NodeInfo 2.1 (nodeinfo.diaspora.software). */
const NodeInfo = shape('NodeInfo', {
  version: v.literal('2.1'),
  software: v.object({
    name: v.string(),
    version: v.string(),
    repository: v.string(),
    homepage: v.string(),
  }),
  protocols: v.array(v.string()),
  services: v.object({ inbound: v.array(v.string()), outbound: v.array(v.string()) }),
  openRegistrations: v.boolean(),
  usage: v.object({ users: v.object({ total: int }), localPosts: int, localComments: int }),
  metadata: v.object({}),
})

export const getNodeInfo = route('GET /nodeinfo', {
  summary: 'NodeInfo document of this server',
  access: everyone(),
  returns: json(200, NodeInfo),
  handler: async ({ sql, tools, from }) => ({
    version: '2.1' as const,
    software: { name: 'forgehall', version: tools.version, repository: '', homepage: from.host },
    protocols: [],
    services: { inbound: [], outbound: [] },
    openRegistrations: false,
    usage: { users: { total: await countPeople(sql) }, localPosts: 0, localComments: 0 },
    metadata: {},
  }),
})
