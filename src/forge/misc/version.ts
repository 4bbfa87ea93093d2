import { json } from '../../http/route/sends.ts'
import { everyone } from '../auth/access.ts'
import { ISSUE_FILE_TYPES, MAX_FILES } from '../issues/attachments/issue-files.ts'
import { REACTIONS } from '../issues/reaction.shape.ts'
import { route } from '../route.ts'
import { DEFAULT_THEME } from '../users/settings.shape.ts'
import { countPeople } from '../users/user-store.ts'
import {
  GeneralAPISettings,
  GeneralAttachmentSettings,
  GeneralRepoSettings,
  GeneralUISettings,
  NodeInfo,
  ServerVersion,
} from './version.shape.ts'

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
    max_files: MAX_FILES,
  }),
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
