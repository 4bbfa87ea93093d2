import { dotPicture } from '../../support/forge/pictures.ts'
import { newKeyLine } from '../../support/forge/ssh-key.ts'
import { bob, each, elsewhere, made, type Operation, ofRepository, once, type Prepare } from './operation.ts'
import type { Scene } from './scene.ts'

/** What a repository is set up with, and who has it. */

const repository = ofRepository('settings')
const star = elsewhere('settings')

export const hookBody = () => ({
  type: 'gitea',
  active: true,
  config: { url: 'https://example.com/', content_type: 'json' },
})

/** A hook, and a delivery of it. */
export const deliveryOf = (operation: Operation): Prepare => {
  const hook = made(operation)
  const delivery = once(async (scene, call) => {
    const { id = 0 } = await hook(scene, call)
    const [made] = await scene.pool<[{ id: number }]>`
      insert into forge.hook_delivery
        (uuid, hook_id, event, event_type, body, state, due_at, created_at, finished_at)
      values
        (gen_random_uuid(), ${Number(id)}, 'push', 'push', '{}', 'succeeded', '2026-01-31', '2026-01-31', '2026-01-31')
      returning id`
    return { delivery: made.id }
  })
  return each(hook, delivery)
}

export const offer = repository('POST /transfer', {
  isExclusive: true,
  body: ({ vic: { name } }) => ({ new_owner: name }),
})

const collaborator = ({ vic: { name } }: Scene) => ({ collaborator: name })
const addCollaborator = repository('PUT /collaborators/{collaborator}', {
  params: collaborator,
  body: () => ({ permission: 'admin' }),
})
const newHook = repository('POST /hooks', { body: hookBody })
const theHook = made(newHook)
const newKey = repository('POST /keys', { body: () => ({ title: 'deploys', key: newKeyLine() }) })
const newRule = repository('POST /branch_protections', { body: () => ({ rule_name: 'release/*' }) })
const theRule = made(newRule, 'name', ({ rule_name }) => rule_name)
const newTagRule = repository('POST /tag_protections', {
  body: ({ eve: { name } }) => ({ name_pattern: 'v*', whitelist_usernames: [name] }),
})
const newPicture = repository('POST /avatar', { body: () => ({ image: dotPicture.base64 }) })
const topic = () => ({ topic: 'engine' })
const addTopic = repository('PUT /topics/{topic}', { params: topic })
const starred = ({ guild, repo }: Scene) => ({ owner: guild, repo })
const addStar = star('PUT /api/v1/user/starred/{owner}/{repo}', { params: starred })

export const settings: readonly Operation[] = [
  offer,
  repository('POST /transfer/reject', { before: made(offer), isExclusive: true }),
  addCollaborator,
  repository('DELETE /collaborators/{collaborator}', { params: collaborator, before: made(addCollaborator) }),
  repository('PUT /topics', { body: () => ({ topics: ['engine'] }) }),
  addTopic,
  repository('DELETE /topics/{topic}', { params: topic, before: made(addTopic) }),
  repository('PUT /subscription', { as: bob }),
  repository('DELETE /subscription', { as: bob }),
  repository('PUT /notifications', { as: bob }),
  addStar,
  star('DELETE /api/v1/user/starred/{owner}/{repo}', { params: starred, before: made(addStar) }),
  repository('PUT /teams/{team}', { params: () => ({ team: 'owners' }) }),
  repository('DELETE /teams/{team}', {
    params: ({ number }) => ({ team: `team${number}` }),
    before: async ({ pool, team, number }) => {
      await pool`update forge.team set name = ${`team${number}`} where id = ${team}`
      return {}
    },
  }),
  newHook,
  repository('PATCH /hooks/{id}', { before: theHook, body: () => ({ active: false }) }),
  repository('DELETE /hooks/{id}', { before: theHook }),
  repository('POST /hooks/{id}/tests', { before: theHook }),
  repository('POST /hooks/{id}/deliveries/{delivery}/redeliver', { before: deliveryOf(newHook) }),
  newKey,
  repository('DELETE /keys/{id}', { before: made(newKey) }),
  newRule,
  repository('PATCH /branch_protections/{name...}', { before: theRule, body: () => ({ enable_push: true }) }),
  repository('DELETE /branch_protections/{name...}', { before: theRule }),
  repository('POST /branch_protections/priority', { before: theRule, body: () => ({ ids: [] }) }),
  newTagRule,
  repository('PATCH /tag_protections/{id}', {
    before: made(newTagRule),
    body: () => ({ name_pattern: 'release-*' }),
  }),
  repository('DELETE /tag_protections/{id}', { before: made(newTagRule) }),
  newPicture,
  repository('DELETE /avatar', { before: made(newPicture) }),
]
