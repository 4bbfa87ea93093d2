import * as v from 'valibot'
import { shape } from '../http/route/validate.ts'
import { described, int, text, timestamp } from '../http/route/values.ts'
import { MediaDraft } from './site.option.ts'

/** NewsPost of the specification, section 2. */
export const NewsPost = shape('NewsPost', { id: int, title: text, content: text, created_at: timestamp })
export type NewsPost = v.InferOutput<typeof NewsPost>

/** A post with the members that its editor uses. */
export const NewsPostInFull = shape('NewsPostInFull', {
  ...NewsPost.entries,
  format: described(
    v.picklist(['plain', 'markdown']),
    'How pages show the content; the editor of the site sets it',
  ),
  updated_at: described(v.nullable(timestamp), 'Time of the last change; null: never changed'),
  version: described(int, 'Number of the version; each change increases it'),
})

/** MediaItem of the specification, section 2. */
export const MediaItem = shape('MediaItem', {
  id: int,
  ...MediaDraft.entries,
  created_at: timestamp,
})
export type MediaItem = v.InferOutput<typeof MediaItem>

/** CurrentUser: one open session; `id` is the user's (specification, section 4). */
export const CurrentUser = shape('CurrentUser', {
  id: described(int, 'Id of the user, not of the session'),
  username: v.string(),
  started_at: timestamp,
})

export type CurrentUser = v.InferOutput<typeof CurrentUser>

export const ActivityEntry = shape('ActivityEntry', {
  id: int,
  description: v.string(),
  created_at: timestamp,
})

export type ActivityEntry = v.InferOutput<typeof ActivityEntry>

export const Overview = shape('Overview', {
  currentUsers: described(v.array(CurrentUser), 'At most 20 open sessions, newest first'),
  recentActivity: described(v.array(ActivityEntry), 'At most 20 entries, newest first'),
  general: v.object({
    users: v.object({
      total: described(int, 'Number of users who have ever started a session'),
      mostRecent: described(
        v.nullable(v.object({ username: v.string(), id: int })),
        'The newest user, by the first session; null: there are no users',
      ),
    }),
    reports: described(
      v.object({ named: v.string(), associated: v.string(), logged: v.string() }),
      'Figures that an administrator enters, as texts',
    ),
    build: described(
      v.object({ pipeline: v.string(), buildNumber: v.string(), version: v.string() }),
      'Texts about the website that an administrator enters',
    ),
  }),
})

export type Overview = v.InferOutput<typeof Overview>

export const StartedSession = v.object({ sessionId: int, userId: int })

/** The name of a site that has no other. */
export const defaultName = 'Forgehall'

export const Site = shape('Site', {
  name: described(
    v.string(),
    `The name of the site in pages and in the feed; \`${defaultName}\` if none is set`,
  ),
})

export const Health = v.object({ ok: v.literal(true) })
