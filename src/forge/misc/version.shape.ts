import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'

export const ServerVersion = shape('ServerVersion', {
  version: described(
    v.string(),
    'Version that clients compare; after the plus stands the version of this server',
  ),
})

export const GeneralAPISettings = shape('GeneralAPISettings', {
  max_response_items: described(int, 'Maximum number of rows of a page'),
  default_paging_num: described(int, 'Number of rows of a page without `limit`'),
  default_git_trees_per_page: described(int, 'Maximum number of entries on a page of a git tree'),
  default_max_blob_size: described(int, 'Maximum size of a file in an answer as JSON, in bytes'),
  default_max_response_size: described(int, 'Bytes; only for clients that read it'),
})

export const GeneralUISettings = shape('GeneralUISettings', {
  default_theme: v.string(),
  allowed_reactions: described(v.array(v.string()), 'What `content` of a reaction may be'),
  custom_emojis: v.array(v.string()),
})

export const GeneralRepoSettings = shape('GeneralRepoSettings', {
  mirrors_disabled: v.boolean(),
  http_git_disabled: v.boolean(),
  migrations_disabled: v.boolean(),
  stars_disabled: v.boolean(),
  time_tracking_disabled: v.boolean(),
  lfs_disabled: v.boolean(),
})

export const GeneralAttachmentSettings = shape('GeneralAttachmentSettings', {
  enabled: described(v.boolean(), 'Always `true`'),
  allowed_types: described(v.string(), 'Extensions between commas'),
  max_size: described(int, 'Maximum size of a file, in MiB'),
  max_files: described(int, 'Maximum number of files that a form of a browser sends at once'),
})

/** NodeInfo 2.1 (nodeinfo.diaspora.software). */
export const NodeInfo = shape('NodeInfo', {
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
