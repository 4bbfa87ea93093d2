import { made, type Operation, ofOrganization, ofRepository, ofTeam, ofUser, vic } from './operation.ts'
import { offer } from './settings.ts'

/** Operations that end, rename or give away what others are about. */

const repository = ofRepository('structural')
const organization = ofOrganization('structural')
const team = ofTeam('structural')
const user = ofUser('structural')

export const structural: readonly Operation[] = [
  repository('DELETE ', {
    endsRepository: true,
    holds: async ({ pool, repoId }) =>
      (await pool`select from forge.repository where id = ${repoId}`).length === 0,
  }),
  repository('PATCH ', { endsRepository: true, body: () => ({ name: 'renamed', private: true }) }),
  repository('POST /transfer', {
    endsRepository: true,
    body: ({ otherGuild }) => ({ new_owner: otherGuild }),
    holds: async ({ pool, repoId, otherGuild }) =>
      (
        await pool`
          select from forge.repository
          join forge.account on account.id = owner_id
          where repository.id = ${repoId} and account.name = ${otherGuild}`
      ).length === 1,
  }),
  repository('POST /transfer/accept', {
    endsRepository: true,
    as: vic,
    before: made(offer),
    holds: async ({ pool, repoId, vic: { id } }) =>
      (await pool`select from forge.repository where id = ${repoId} and owner_id = ${id}`).length === 1,
  }),
  organization('POST /rename', { body: ({ guild }) => ({ new_name: `${guild}-new` }) }),
  organization('DELETE ', {
    isExclusive: true,
    before: async ({ eve, guild, repo }, call) => {
      await call('DELETE /api/v1/repos/{owner}/{repo}', { as: eve, params: { owner: guild, repo } })
      return {}
    },
  }),
  organization('DELETE /members/{username}', { params: ({ bob: { name } }) => ({ username: name }) }),
  team('DELETE '),
  team('DELETE /members/{username}', { params: ({ bob: { name } }) => ({ username: name }) }),
  team('DELETE /repos/{org}/{repo}', { params: ({ guild, repo }) => ({ org: guild, repo }) }),
  user('DELETE ', {
    query: () => ({ purge: 'true' }),
    holds: async ({ pool, bob: { id } }) =>
      (await pool`select from forge.account where id = ${id}`).length === 0,
  }),
  user('POST /rename', { body: ({ bob: { name } }) => ({ new_username: `${name}-new` }) }),
  user('PATCH ', { body: () => ({ source_id: 0, login_name: '', prohibit_login: true }) }),
]
