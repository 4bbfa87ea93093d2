import { actionsOperations } from './actions.ts'
import { type Operation, type Scene, Unprepared } from './scene.ts'

/** Operations that change something, as they meet in the organization, team and repository of a scene. */

const api = (literal: string) => literal.replace(' ', ' /api/v1')
const inRepo = ({ guild, repo }: Scene) => ({ owner: guild, repo })
const inOrg = ({ guild }: Scene) => ({ org: guild })
const inTeam = ({ team }: Scene) => ({ id: team })
const eve = (scene: Scene) => scene.eve
const boss = (scene: Scene) => scene.boss
const bob = (scene: Scene) => scene.bob

const hookBody = () => ({
  type: 'gitea',
  active: true,
  config: { url: 'https://example.com/', content_type: 'json' },
})

const ofRepository = (literal: string, more: Partial<Operation> = {}): Operation => ({
  literal: api(literal.replace(' ', ' /repos/{owner}/{repo}')),
  as: eve,
  params: inRepo,
  ...more,
})

const ofOrganization = (literal: string, more: Partial<Operation> = {}): Operation => ({
  literal: api(literal.replace(' ', ' /orgs/{org}')),
  as: eve,
  params: inOrg,
  ...more,
})

const ofTeam = (literal: string, more: Partial<Operation> = {}): Operation => ({
  literal: api(literal.replace(' ', ' /teams/{id}')),
  as: eve,
  params: inTeam,
  ...more,
})

/** Of the account of `bob`, by the administrator. */
const ofUser = (literal: string, more: Partial<Operation> = {}): Operation => ({
  literal: api(literal.replace(' ', ' /admin/users/{username}')),
  as: boss,
  params: ({ bob: { name } }) => ({ username: name }),
  ...more,
})

/** By `bob`, of what is his own. */
const own = (literal: string, more: Partial<Operation> = {}): Operation => ({
  literal: api(literal.replace(' ', ' /user')),
  as: bob,
  params: () => ({}),
  ...more,
})

/** What a call made has this id. */
const made =
  (operation: Operation, name = 'id'): NonNullable<Operation['before']> =>
  async (scene, call) => {
    const { literal, as, params, body } = operation
    const answered = await call(literal, {
      as: as(scene, {}),
      params: params(scene),
      ...(body && { body: body(scene, {}) }),
    })
    if (answered.status >= 300) throw new Unprepared(`${literal} ${answered.status}`)
    return { [name]: answered.body?.number ?? answered.body?.id ?? '' }
  }

const newHook = ofRepository('POST /hooks', { body: hookBody })
const newOrgHook = ofOrganization('POST /hooks', { body: hookBody })
const newIssue = ofRepository('POST /issues', { as: bob, body: () => ({ title: 'It leaks' }) })
const newLabel = ofRepository('POST /labels', { body: () => ({ name: 'bug', color: '#ee0701' }) })
const newOrgLabel = ofOrganization('POST /labels', { body: () => ({ name: 'bug', color: '#ee0701' }) })
const newMilestone = ofRepository('POST /milestones', { body: () => ({ title: 'v1' }) })
const newSecret = {
  body: () => ({ data: 'hush' }),
  params: (scene: Scene) => ({ ...inRepo(scene), secretname: 'S' }),
}
const newVariable = {
  body: () => ({ value: 'shown' }),
  params: (scene: Scene) => ({ ...inRepo(scene), variablename: 'V' }),
}
const addCollaborator = ofRepository('PUT /collaborators/{collaborator}', {
  params: (scene) => ({ ...inRepo(scene), collaborator: scene.vic.name }),
  body: () => ({ permission: 'admin' }),
})
const offer = ofRepository('POST /transfer', { body: ({ vic: { name } }) => ({ new_owner: name }) })

/** They end, rename or give away what others are about. */
const structural: Operation[] = [
  ofRepository('DELETE ', {
    endsRepository: true,
    holds: async ({ repoId }, pool) =>
      (await pool`select from forge.repository where id = ${repoId}`).length === 0,
  }),
  ofRepository('PATCH ', { endsRepository: true, body: () => ({ name: 'renamed', private: true }) }),
  ofRepository('POST /transfer', {
    endsRepository: true,
    body: ({ otherGuild }) => ({ new_owner: otherGuild }),
    holds: async ({ repoId, otherGuild }, pool) =>
      (
        await pool`
          select from forge.repository
          join forge.account on account.id = owner_id
          where repository.id = ${repoId} and account.name = ${otherGuild}`
      ).length === 1,
  }),
  ofRepository('POST /transfer/accept', {
    endsRepository: true,
    as: ({ vic }) => vic,
    before: made(offer),
    holds: async ({ repoId, vic }, pool) =>
      (await pool`select from forge.repository where id = ${repoId} and owner_id = ${vic.id}`).length === 1,
  }),
  ofOrganization('POST /rename', { body: ({ guild }) => ({ new_name: `${guild}-new` }) }),
  ofOrganization('DELETE ', {
    before: async (scene, call) => {
      await call('DELETE /api/v1/repos/{owner}/{repo}', { as: scene.eve, params: inRepo(scene) })
      return {}
    },
  }),
  ofOrganization('DELETE /members/{username}', {
    params: (scene) => ({ ...inOrg(scene), username: scene.bob.name }),
  }),
  ofTeam('DELETE '),
  ofTeam('DELETE /members/{username}', {
    params: (scene) => ({ ...inTeam(scene), username: scene.bob.name }),
  }),
  ofTeam('DELETE /repos/{org}/{repo}', {
    params: ({ team, guild, repo }) => ({ id: team, org: guild, repo }),
  }),
  ofUser('DELETE ', {
    query: { purge: 'true' },
    holds: async ({ bob: { id } }, pool) =>
      (await pool`select from forge.account where id = ${id}`).length === 0,
  }),
  ofUser('POST /rename', { body: ({ bob: { name } }) => ({ new_username: `${name}-new` }) }),
  ofUser('PATCH ', { body: () => ({ source_id: 0, login_name: '', prohibit_login: true }) }),
].map((operation) => ({ ...operation, kind: 'structural' as const }))

const others: Operation[] = [
  offer,
  ofRepository('POST /transfer/reject', { before: made(offer) }),
  addCollaborator,
  ofRepository('DELETE /collaborators/{collaborator}', {
    params: (scene) => ({ ...inRepo(scene), collaborator: scene.vic.name }),
    before: made(addCollaborator),
  }),
  ofRepository('PUT /topics', { body: () => ({ topics: ['engine'] }) }),
  ofRepository('PUT /subscription', { as: bob }),
  ofRepository('DELETE /subscription', { as: bob }),
  ofRepository('PUT /teams/{team}', { params: (scene) => ({ ...inRepo(scene), team: 'owners' }) }),
  newHook,
  ofRepository('PATCH /hooks/{id}', { before: made(newHook), body: () => ({ active: false }) }),
  ofRepository('DELETE /hooks/{id}', { before: made(newHook) }),
  newOrgHook,
  ofOrganization('DELETE /hooks/{id}', { before: made(newOrgHook) }),
  newLabel,
  ofRepository('PATCH /labels/{id}', { before: made(newLabel), body: () => ({ name: 'defect' }) }),
  ofRepository('DELETE /labels/{id}', { before: made(newLabel) }),
  newOrgLabel,
  ofOrganization('PATCH /labels/{id}', { before: made(newOrgLabel), body: () => ({ name: 'defect' }) }),
  ofOrganization('DELETE /labels/{id}', { before: made(newOrgLabel) }),
  newMilestone,
  ofRepository('PATCH /milestones/{id}', { before: made(newMilestone), body: () => ({ state: 'closed' }) }),
  ofRepository('DELETE /milestones/{id}', { before: made(newMilestone) }),
  newIssue,
  ofRepository('PATCH /issues/{index}', {
    as: bob,
    before: made(newIssue, 'index'),
    body: () => ({ title: 'Mended', state: 'closed' }),
  }),
  ofRepository('POST /issues/{index}/pin', { before: made(newIssue, 'index') }),
  ofRepository('PUT /issues/{index}/lock', { before: made(newIssue, 'index'), body: () => ({}) }),
  ofRepository('POST /issues/{index}/dependencies', {
    before: async (scene, call) => ({
      ...(await made(newIssue, 'made')(scene, call)),
      ...(await made(newIssue, 'index')(scene, call)),
    }),
    body: () => ({ index: 1 }),
  }),
  ofRepository('POST /issues/{index}/deadline', {
    before: made(newIssue, 'index'),
    body: () => ({ due_date: '2030-01-01T00:00:00Z' }),
  }),
  ofRepository('DELETE /issues/{index}', { before: made(newIssue, 'index') }),
  ofRepository('POST /issues/{index}/comments', {
    as: bob,
    before: made(newIssue, 'index'),
    body: ({ eve: { name } }) => ({ body: `@${name} look` }),
  }),
  ofRepository('POST /issues/{index}/reactions', {
    as: bob,
    before: made(newIssue, 'index'),
    body: () => ({ content: 'heart' }),
  }),
  ofRepository('PUT /actions/secrets/{secretname}', newSecret),
  ofRepository('DELETE /actions/secrets/{secretname}', {
    ...newSecret,
    before: made(ofRepository('PUT /actions/secrets/{secretname}', newSecret), 'made'),
  }),
  ofRepository('POST /actions/variables/{variablename}', newVariable),
  ofRepository('POST /actions/runners/registration-token'),
  ofOrganization('POST /repos', { body: () => ({ name: 'more' }) }),
  ofOrganization('PATCH ', { body: () => ({ visibility: 'private' }) }),
  ofOrganization('POST /teams', {
    body: () => ({ name: 'readers', permission: 'read', units: ['repo.code'] }),
  }),
  ofOrganization('PUT /public_members/{username}', {
    as: bob,
    params: (scene) => ({ ...inOrg(scene), username: scene.bob.name }),
  }),
  ofTeam('PATCH ', { body: () => ({ name: 'writers', permission: 'read', units: ['repo.code'] }) }),
  ofTeam('PUT /members/{username}', { params: (scene) => ({ ...inTeam(scene), username: scene.vic.name }) }),
  ofTeam('PUT /repos/{org}/{repo}', { params: ({ team, guild, repo }) => ({ id: team, org: guild, repo }) }),
  ofUser('POST /repos', { body: () => ({ name: 'gift' }) }),
  ofUser('POST /orgs', { body: ({ number }) => ({ username: `club${number}` }) }),
  own('POST /repos', { body: () => ({ name: 'mine' }) }),
  own('POST /emails', { body: ({ number }) => ({ emails: [`second${number}@example.com`] }) }),
  own('POST /hooks', { body: hookBody }),
]

export const operations: readonly Operation[] = [...structural, ...others, ...actionsOperations]
