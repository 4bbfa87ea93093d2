import { basic, bearer } from '../../support/forge/make.ts'
import { dotPicture } from '../../support/forge/pictures.ts'
import { newKeyLine } from '../../support/forge/ssh-key.ts'
import {
  bob,
  boss,
  each,
  elsewhere,
  eve,
  made,
  type Operation,
  ofOrganization,
  ofTeam,
  ofUser,
  once,
  own,
} from './operation.ts'
import type { Scene } from './scene.ts'
import { deliveryOf, hookBody } from './settings.ts'

/** Users, organizations and teams, and what they have. */

const organization = ofOrganization('organization')
const team = ofTeam('organization')
const user = ofUser('user')
const mine = own('user')
const any = elsewhere('user')

const newOrgHook = organization('POST /hooks', { body: hookBody })
const newHook = mine('POST /hooks', { body: hookBody })
const picture = () => ({ image: dotPicture.base64 })
const orgPicture = organization('POST /avatar', { body: picture })
const ownPicture = mine('POST /avatar', { body: picture })
const newKey = mine('POST /keys', { body: () => ({ title: 'laptop', key: newKeyLine() }) })
const newKeyByAdmin = user('POST /keys', { body: () => ({ title: 'phone', key: newKeyLine() }) })
const emails = ({ number }: Scene) => ({ emails: [`second${number}@example.com`] })
const newEmail = mine('POST /emails', { body: emails })
const followed = ({ vic: { name } }: Scene) => ({ username: name })
const follow = mine('PUT /following/{username}', { params: followed })
const member = (scene: Scene) => ({ username: scene.bob.name })
const publicize = organization('PUT /public_members/{username}', { as: bob, params: member })
const newToken = any('POST /api/v1/users/{username}/tokens', {
  as: (scene) => basic(scene.bob.name),
  params: member,
  body: () => ({ name: 'second', scopes: ['read:user'] }),
})
const spare = once(async ({ token, bob }) => ({ spare: await token(bob) }))
const newBadge = any('POST /api/v1/admin/badges', {
  as: boss,
  body: ({ number }) => ({ slug: `kind${number}`, description: 'Kind' }),
})
const theBadge = made(newBadge, 'slug', ({ slug }) => slug)
const slugs = ({ number }: Scene) => ({ badge_slugs: [`kind${number}`] })
const giveBadges = user('POST /badges', { before: theBadge, body: slugs })
/** The second factor of `bob`. */
const factor = once(async ({ pool, bob }) => {
  await pool`
    insert into forge.totp (account_id, secret, created_at) values (${bob.id}, ${Buffer.alloc(16)}, '2026-01-31')`
  return {}
})

export const accounts: readonly Operation[] = [
  organization('PATCH ', { body: () => ({ visibility: 'private' }) }),
  organization('POST /teams', {
    body: () => ({ name: 'readers', permission: 'read', units: ['repo.code'] }),
  }),
  organization('POST /repos', { body: () => ({ name: 'more' }) }),
  any('POST /api/v1/org/{org}/repos', {
    as: eve,
    params: ({ guild }) => ({ org: guild }),
    body: () => ({ name: 'more' }),
  }),
  publicize,
  organization('DELETE /public_members/{username}', { as: bob, params: member, before: made(publicize) }),
  newOrgHook,
  organization('PATCH /hooks/{id}', { before: made(newOrgHook), body: () => ({ active: false }) }),
  organization('DELETE /hooks/{id}', { before: made(newOrgHook) }),
  organization('POST /hooks/{id}/deliveries/{delivery}/redeliver', { before: deliveryOf(newOrgHook) }),
  orgPicture,
  organization('DELETE /avatar', { before: made(orgPicture) }),
  team('PATCH ', { body: () => ({ name: 'writers', permission: 'read', units: ['repo.code'] }) }),
  team('PUT /members/{username}', { params: followed }),
  team('PUT /repos/{org}/{repo}', { params: ({ guild, repo }) => ({ org: guild, repo }) }),

  user('POST /repos', { body: () => ({ name: 'gift' }) }),
  user('POST /orgs', { body: ({ number }) => ({ username: `club${number}` }) }),
  user('POST /password-link'),
  newKeyByAdmin,
  user('DELETE /keys/{id}', { before: made(newKeyByAdmin) }),
  newBadge,
  any('PATCH /api/v1/admin/badges/{slug}', {
    as: boss,
    before: theBadge,
    body: () => ({ description: 'So' }),
  }),
  any('DELETE /api/v1/admin/badges/{slug}', { as: boss, before: theBadge }),
  giveBadges,
  user('DELETE /badges', { before: made(giveBadges), body: slugs }),
  // With a second factor, the password alone makes no token.
  user('DELETE /totp', { isExclusive: true, before: factor }),
  any('POST /api/v1/admin/users', {
    as: boss,
    body: ({ number }) => ({
      username: `new${number}`,
      email: `new${number}@example.com`,
      password: 'a password for tests',
      must_change_password: false,
    }),
  }),

  mine('PATCH /settings', { body: () => ({ full_name: 'Bob' }) }),
  mine('POST /repos', { body: () => ({ name: 'mine' }) }),
  any('POST /api/v1/orgs', { body: ({ number }) => ({ username: `club${number}` }) }),
  newEmail,
  mine('DELETE /emails', { before: made(newEmail), body: emails }),
  newHook,
  mine('PATCH /hooks/{id}', { before: made(newHook), body: () => ({ active: false }) }),
  mine('DELETE /hooks/{id}', { before: made(newHook) }),
  mine('POST /hooks/{id}/deliveries/{delivery}/redeliver', { before: deliveryOf(newHook) }),
  ownPicture,
  mine('DELETE /avatar', { before: made(ownPicture) }),
  newKey,
  mine('DELETE /keys/{id}', { before: made(newKey) }),
  follow,
  mine('DELETE /following/{username}', { params: followed, before: made(follow) }),
  newToken,
  any('DELETE /api/v1/users/{username}/tokens/{token}', {
    as: (scene) => basic(scene.bob.name),
    params: member,
    before: each(made(newToken), async () => ({ token: 'second' })),
  }),
  any('DELETE /api/v1/token', { before: spare, as: (_, prepared) => bearer(String(prepared.spare)) }),
]
