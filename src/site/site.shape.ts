import * as v from 'valibot'
import { shape } from '../http/route/validate.ts'
import { described, int, text, timestamp } from '../http/route/values.ts'

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
  currentUsers: described(v.array(CurrentUser), 'Open sessions, the newest first, 20 at most'),
  recentActivity: described(v.array(ActivityEntry), 'The newest first, 20 at most'),
  general: v.object({
    users: v.object({
      total: described(int, 'Everybody who was ever here'),
      mostRecent: described(
        v.nullable(v.object({ username: v.string(), id: int })),
        'Who came for the first time last; null: nobody was ever here',
      ),
    }),
    reports: described(
      v.object({ named: v.string(), associated: v.string(), logged: v.string() }),
      'Figures that an administrator enters, as texts',
    ),
    build: described(
      v.object({ pipeline: v.string(), buildNumber: v.string(), version: v.string() }),
      'What an administrator enters about the website',
    ),
  }),
})

export type Overview = v.InferOutput<typeof Overview>

export const StartedSession = v.object({ sessionId: int, userId: int })

export const SessionStart = shape('SessionStart', {
  username: described(text, 'Whoever is here, 255 characters at most; it need not be an account'),
})

export const SessionEnd = shape('SessionEnd', {
  sessionId: v.pipe(
    v.number(),
    v.metadata({ type: 'integer', description: 'As the start of the session answered' }),
  ),
})

/** What a site is called that nobody has given a name. */
export const defaultName = 'Forgehall'

export const Site = shape('Site', {
  name: described(
    v.string(),
    `What pages and the feed call the site; \`${defaultName}\` as long as nobody sets it`,
  ),
})

export const Health = v.object({ ok: v.literal(true) })

/** The longest name, in characters: it is on one line of each page. */
export const longestName = 60

/** A name as somebody gives it: one line; "" takes it back. */
export const GivenName = v.pipe(
  v.string(),
  v.trim(),
  v.check((text) => [...text].length <= longestName && !/\p{Cc}/u.test(text)),
)

export const SiteChange = shape('SiteChange', { name: GivenName })
