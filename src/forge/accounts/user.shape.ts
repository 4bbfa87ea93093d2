import * as v from 'valibot'
import { mapPage, type Page } from '../../db/page.ts'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { EPOCH, printTime, ZERO_TIME } from '../protocol/time.ts'
import type { Account } from './account-store.ts'
import { accountPictureUrl } from './avatar.ts'
import { placeholderAddress } from './email-address.ts'
import { VISIBILITIES } from './visibility.ts'

/** A time as replies print it: RFC 3339, whole seconds, UTC. */
export const moment = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
  v.metadata({ format: 'date-time' }),
  v.examples(['2026-01-31T08:00:00Z']),
)

const kinds = { person: 'User', bot: 'Bot', organization: 'Organization' } as const

/** User of the specification, with its members in the order in which they are sent. */
export const User = shape('User', {
  id: int,
  login: v.string(),
  type: v.picklist(['User', 'Bot', 'Organization']),
  login_name: described(v.string(), 'Empty unless the caller is an administrator or this user'),
  source_id: described(int, 'Id of the login source: 0 is this server'),
  full_name: v.string(),
  email: described(v.string(), 'A placeholder where the caller may not see the address'),
  avatar_url: v.string(),
  html_url: v.string(),
  language: described(
    v.string(),
    'Language of the interface; empty unless the caller is an administrator or this user',
  ),
  is_admin: described(v.boolean(), 'Always `false` unless the caller is an administrator or this user'),
  last_login: described(
    moment,
    'Last use with the password; in the year 1 where the caller may not see it, in 1970 for never',
  ),
  created: moment,
  restricted: v.boolean(),
  active: described(v.boolean(), 'Always `false` unless the caller is an administrator or this user'),
  prohibit_login: described(v.boolean(), 'Always `false` unless the caller is an administrator or this user'),
  location: v.string(),
  website: v.string(),
  description: v.string(),
  visibility: described(
    v.picklist(VISIBILITIES),
    'Who sees the account: everybody, everybody who is signed in (`limited`), or administrators and itself',
  ),
  followers_count: described(int, 'How many users follow it'),
  following_count: described(int, 'How many accounts it follows'),
  starred_repos_count: described(int, 'How many repositories it has starred'),
  username: described(v.string(), 'The same as `login`'),
})
export type User = v.InferOutput<typeof User>

/** For whom a user is printed: private fields are for administrators and the user itself. */
export type Viewer = Pick<Account, 'id' | 'is_admin'> | undefined

/**
 * Prints a user for `viewer`; undefined is an anonymous caller. `host` is the root of links (`from.host`).
 */
export function printUser(user: Account, viewer: Viewer, host: string): User {
  const isOpen = viewer !== undefined && (viewer.is_admin || viewer.id === user.id)
  const showsEmail = isOpen || (viewer !== undefined && !user.hides_email)
  return {
    id: user.id,
    login: user.name,
    type: kinds[user.kind],
    login_name: isOpen ? user.login_name : '',
    source_id: isOpen ? user.source_id : 0,
    full_name: user.full_name,
    email: showsEmail ? user.email : placeholderAddress(user, host),
    avatar_url: accountPictureUrl(host, user),
    html_url: `${host}${user.name}`,
    language: isOpen ? user.language : '',
    is_admin: isOpen && user.is_admin,
    last_login: isOpen ? printTime(user.last_login_at, EPOCH) : ZERO_TIME,
    created: printTime(user.created_at, EPOCH),
    restricted: user.is_restricted,
    active: isOpen && user.is_active,
    prohibit_login: isOpen && user.prohibit_login,
    location: user.location,
    website: user.website,
    description: user.description,
    visibility: user.visibility,
    followers_count: user.followers_count,
    following_count: user.following_count,
    starred_repos_count: user.starred_repos_count,
    username: user.name,
  }
}

/** A page of users, each printed for the caller of a request. */
export const printUsers = (
  page: Page<Account>,
  { caller, from }: { caller: { me?: Viewer }; from: { host: string } },
): Page<User> => mapPage(page, (user) => printUser(user, caller.me, from.host))

/** The reply to a search for users. */
export const UserSearch = v.object({ ok: v.literal(true), data: v.array(User) })
