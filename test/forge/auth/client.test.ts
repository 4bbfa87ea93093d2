import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ContentType, giteaApi, type HttpResponse } from 'gitea-js'
import { newToken } from '../../../src/forge/auth/token.ts'
import { serveHome } from '../../support/binary.ts'
import { basic } from '../../support/forge/make.ts'
import { ACCEPTED } from '../../support/forge/ssh-key.fixtures.ts'

/** What a published client of the original sends and reads, against the built file; the tests depend on their order. */

const token = newToken()
const { serving: server } = await serveHome({ ADMIN_USERNAME: 'boss', ADMIN_TOKEN: token })

const admin = giteaApi(server.url, { token })
const nobody = giteaApi(server.url)
const password = 'correct horse battery'

/** Status and message of a refusal: the client throws the response. */
function refusal(call: Promise<unknown>): Promise<[status: number, message: string | undefined]> {
  return call.then(
    () => assert.fail('the call was not refused'),
    ({ status, error }: HttpResponse<unknown, { message?: string }>) => [status, error?.message],
  )
}

/** A new token of a user, created with the password. */
async function signIn(username: string, name: string): Promise<ReturnType<typeof giteaApi>> {
  const headers = basic(username, password)
  const made = await nobody.users.userCreateToken(username, { name, scopes: ['all'] }, { headers })
  assert.equal(made.status, 201)
  assert.match(made.data.sha1 ?? '', /^[0-9a-f]{40}$/)
  return giteaApi(server.url, { token: made.data.sha1 ?? '' })
}

test('a client connects: version, settings, node info, who it is', async () => {
  assert.match((await nobody.version.getVersion()).data.version ?? '', /^28\.0\.0\+/)
  assert.equal((await nobody.settings.getGeneralApiSettings()).data.default_paging_num, 30)
  assert.equal((await nobody.nodeinfo.getNodeInfo()).data.software?.name, 'forgehall')
  const { login, is_admin } = (await admin.user.userGetCurrent()).data
  assert.deepEqual([login, is_admin], ['boss', true])
  assert.deepEqual(await refusal(nobody.user.userGetCurrent()), [401, 'token is required'])
})

test('a client creates, edits, finds and lists users', async () => {
  const created = await admin.admin.adminCreateUser({
    username: 'ada',
    email: 'ada@example.com',
    password,
    must_change_password: false,
  })
  assert.deepEqual([created.status, created.data.login, created.data.active], [201, 'ada', true])
  const again = admin.admin.adminCreateUser({ username: 'ADA', email: 'other@example.com', password })
  assert.deepEqual((await refusal(again))[0], 409)
  const edit = { source_id: 0, login_name: 'ada', full_name: 'Ada L', website: 'https://example.com/' }
  const edited = await admin.admin.adminEditUser('ada', edit)
  assert.deepEqual([edited.status, edited.data.full_name, edited.data.website], [200, 'Ada L', edit.website])
  assert.equal((await nobody.users.userGet('ada')).data.full_name, 'Ada L')
  const page = await admin.admin.adminSearchUsers({ page: 1, limit: 1 })
  assert.deepEqual(
    page.data.map(({ login }) => login),
    ['ada'],
  )
  assert.equal(page.headers.get('x-total-count'), '2')
  assert.match(page.headers.get('link') ?? '', /rel="next"/)
  const found = await admin.users.userSearch({ q: 'lov' })
  assert.deepEqual(found.data.data, [])
  assert.equal((await admin.users.userSearch({ q: 'ada l' })).data.data?.[0]?.login, 'ada')
})

test('a client renames a user and is sent on from the old name', async () => {
  assert.equal((await admin.admin.adminRenameUser('ada', { new_username: 'countess' })).status, 204)
  const { url, data } = await admin.users.userGet('ada')
  assert.deepEqual([data.login, new URL(url).pathname], ['countess', '/api/v1/users/countess'])
  const edited = await admin.admin.adminEditUser('ada', { source_id: 0, login_name: '', location: 'London' })
  assert.deepEqual([edited.data.login, edited.data.location], ['countess', 'London'])
  const [status, message] = await refusal(admin.admin.adminRenameUser('countess', { new_username: 'BOSS' }))
  assert.deepEqual([status, message], [422, 'user already exists [name: BOSS]'])
})

test('a client makes, lists and revokes tokens by password, and an administrator by token', async () => {
  const ada = await signIn('countess', 'laptop')
  assert.equal((await ada.user.userGetCurrent()).data.login, 'countess')
  assert.deepEqual(await refusal(ada.users.userGetTokens('countess')), [401, 'auth required'])
  const made = await admin.users.userCreateToken('countess', { name: 'pipeline', scopes: ['read:user'] })
  const listed = await admin.users.userGetTokens('countess')
  assert.deepEqual(
    listed.data.map(({ name, sha1 }) => [name, sha1]),
    [
      ['pipeline', ''],
      ['laptop', ''],
    ],
  )
  assert.equal((await admin.users.userDeleteAccessToken('countess', String(made.data.id))).status, 204)
  assert.equal((await admin.users.userDeleteAccessToken('countess', 'laptop')).status, 204)
  assert.equal((await refusal(ada.user.userGetCurrent()))[0], 401)
})

test('a client adds, lists and deletes keys, its own and those of others', async () => {
  const [first, second] = ACCEPTED
  assert.ok(first && second)
  const ada = await signIn('countess', 'keys')
  const added = await admin.admin.adminCreatePublicKey('countess', { title: 'laptop', key: first.line })
  assert.deepEqual([added.status, added.data.title, added.data.fingerprint], [201, 'laptop', first.sha256])
  const own = await ada.user.userCurrentPostKey({ title: 'desk', key: second.line, read_only: true })
  assert.equal(own.status, 201)
  const titles = (await ada.users.userListKeys('countess')).data.map(({ title }) => title)
  assert.deepEqual(titles.sort(), ['desk', 'laptop'])
  assert.equal((await ada.user.userCurrentListKeys()).data.length, 2)
  const twice = admin.admin.adminCreatePublicKey('boss', { title: 'stolen', key: first.line })
  assert.equal((await refusal(twice))[0], 422)
  assert.equal((await admin.admin.adminDeleteUserPublicKey('countess', added.data.id ?? 0)).status, 204)
  assert.equal((await ada.user.userCurrentDeleteKey(own.data.id ?? 0)).status, 204)
  assert.deepEqual((await ada.user.userCurrentListKeys()).data, [])
})

test('a client adds, lists, finds and deletes addresses', async () => {
  const ada = await signIn('countess', 'addresses')
  const added = await ada.user.userAddEmail({ emails: ['lovelace@example.com'] })
  assert.deepEqual(
    [added.status, added.data.map(({ email }) => email)],
    [201, ['ada@example.com', 'lovelace@example.com']],
  )
  const own = (await ada.user.userListEmails()).data.map(({ email, primary }) => [email, primary])
  assert.deepEqual(own, [
    ['ada@example.com', true],
    ['lovelace@example.com', false],
  ])
  const listed = await admin.admin.adminGetAllEmails({ page: 1, limit: 2 })
  assert.deepEqual([listed.data.length, listed.headers.get('x-total-count')], [2, '3'])
  const [found] = (await admin.admin.adminSearchEmails({ q: 'lovelace' })).data
  assert.deepEqual([found?.email, found?.username], ['lovelace@example.com', 'countess'])
  assert.equal((await refusal(admin.user.userAddEmail({ emails: ['lovelace@example.com'] })))[0], 422)
  assert.equal((await ada.user.userDeleteEmail({ emails: ['lovelace@example.com'] })).status, 204)
  assert.deepEqual((await admin.admin.adminSearchEmails({ q: 'lovelace' })).data, [])
})

test('a client gives, lists and takes badges', async () => {
  const create = { path: '/admin/badges', method: 'POST', type: ContentType.Json, secure: true }
  await admin.request({ ...create, body: { slug: 'mathematician', description: 'Thinks in engines' } })
  const slugs = { badge_slugs: ['mathematician'] }
  assert.equal((await admin.admin.adminAddUserBadges('countess', slugs)).status, 204)
  const badges = (await admin.admin.adminListUserBadges('countess')).data
  assert.deepEqual(
    badges.map(({ slug, description }) => [slug, description]),
    [['mathematician', 'Thinks in engines']],
  )
  assert.equal((await admin.admin.adminDeleteUserBadges('countess', slugs)).status, 204)
  assert.deepEqual((await admin.admin.adminListUserBadges('countess')).data, [])
})

test('a client reads templates and has text rendered', async () => {
  const { data: names } = await nobody.gitignore.listGitignoresTemplates()
  assert.ok(names.includes('Go'))
  assert.ok((await nobody.gitignore.getGitignoreTemplateInfo('Go')).data.source)
  const [labels] = (await nobody.label.listLabelTemplates()).data
  assert.ok(labels && (await nobody.label.getLabelTemplateInfo(labels)).data.length > 0)
  assert.ok((await nobody.licenses.listLicenseTemplates()).data.some(({ key }) => key === 'MIT'))
  assert.match((await nobody.licenses.getLicenseTemplateInfo('MIT')).data.body ?? '', /permission/i)
  const rendered = await admin.markdown.renderMarkdown({ Text: '*so*' }, { format: 'text' })
  assert.match(rendered.data, /<em>so<\/em>/)
})

test('a client creates, edits, shows and lists organizations', async () => {
  const ada = await signIn('countess', 'organizations')
  const own = await ada.orgs.orgCreate({ username: 'guild', full_name: 'The Guild' })
  assert.deepEqual([own.status, own.data.name, own.data.visibility], [201, 'guild', 'public'])
  const created = await admin.admin.adminCreateOrg('countess', { username: 'lodge', visibility: 'private' })
  assert.deepEqual([created.status, created.data.visibility], [201, 'private'])
  assert.equal((await refusal(ada.orgs.orgCreate({ username: 'Boss' })))[0], 422)
  const edited = await ada.orgs.orgEdit('guild', { description: 'makers', visibility: 'limited' })
  assert.deepEqual([edited.data.description, edited.data.full_name], ['makers', 'The Guild'])
  assert.equal((await ada.orgs.orgGet('guild')).data.description, 'makers')
  assert.equal((await refusal(nobody.orgs.orgGet('lodge')))[0], 404)
  const names = ({ data }: { data: { name?: string }[] }) => data.map(({ name }) => name).sort()
  assert.deepEqual(names(await nobody.orgs.orgGetAll()), [])
  assert.deepEqual(names(await admin.admin.adminGetAllOrgs({ limit: 10 })), ['guild', 'lodge'])
  assert.deepEqual(names(await ada.user.orgListCurrentUserOrgs()), ['guild', 'lodge'])
  assert.deepEqual(names(await admin.users.orgListUserOrgs('countess')), ['guild', 'lodge'])
})

test('a client adds people to teams of organizations and removes them', async () => {
  const [owners] = (await admin.orgs.orgListTeams('guild')).data
  assert.deepEqual([owners?.name, owners?.permission], ['Owners', 'owner'])
  const units = ['repo.code', 'repo.issues']
  const made = await admin.orgs.orgCreateTeam('guild', { name: 'masons', permission: 'read', units })
  assert.equal(made.status, 201)
  assert.equal((await admin.teams.orgAddTeamMember(made.data.id ?? 0, 'boss')).status, 204)
  const members = (await admin.orgs.orgListMembers('guild')).data.map(({ login }) => login)
  assert.deepEqual(members.sort(), ['boss', 'countess'])
  assert.equal((await admin.orgs.orgPublicizeMember('guild', 'boss')).status, 204)
  assert.equal((await admin.orgs.orgIsMember('guild', 'boss')).status, 204)
  assert.equal((await admin.orgs.orgDeleteMember('guild', 'boss')).status, 204)
  assert.equal((await refusal(admin.orgs.orgIsMember('guild', 'boss')))[0], 404)
})

test('a client manages webhooks of the site, of a repository and of an organization', async () => {
  const config = { url: 'https://hear.example/in', content_type: 'json' }
  const wish = { type: 'gitea' as const, config, events: ['push'], active: true }
  const ofSite = { ...wish, config: { ...config, is_system_webhook: 'true' } }
  const { status, data: made } = await admin.admin.adminCreateHook(ofSite)
  assert.deepEqual([status, made.config?.url, made.events], [201, 'https://hear.example/in', ['push']])
  const id = made.id ?? 0
  assert.deepEqual((await admin.admin.adminListHooks()).data, [made])
  assert.deepEqual((await admin.admin.adminGetHook(id)).data, made)
  const edited = await admin.admin.adminEditHook(id, { active: false, events: ['create', 'push'] })
  assert.deepEqual([edited.data.active, edited.data.events], [false, ['create', 'push']])
  assert.equal((await admin.admin.adminDeleteHook(id)).status, 204)
  assert.deepEqual(await refusal(admin.admin.adminGetHook(id)), [404, 'not found'])

  assert.equal((await admin.user.createCurrentUserRepo({ name: 'shed' })).status, 201)
  const ofRepo = (await admin.repos.repoCreateHook('boss', 'shed', wish)).data
  assert.deepEqual((await admin.repos.repoListHooks('boss', 'shed')).data, [ofRepo])
  assert.equal((await admin.repos.repoDeleteHook('boss', 'shed', ofRepo.id ?? 0)).status, 204)
  const ofOrg = (await admin.orgs.orgCreateHook('guild', wish)).data
  assert.deepEqual((await admin.orgs.orgListHooks('guild')).data, [ofOrg])
  assert.equal((await admin.orgs.orgDeleteHook('guild', ofOrg.id ?? 0)).status, 204)
  const own = (await admin.user.userCreateHook(wish)).data
  assert.deepEqual((await admin.user.userListHooks()).data, [own])
  assert.equal((await admin.user.userDeleteHook(own.id ?? 0)).status, 204)
})

test('a client shares repositories with people and teams', async () => {
  const { repos, teams } = admin
  assert.equal(
    (await repos.repoAddCollaborator('boss', 'shed', 'countess', { permission: 'read' })).status,
    204,
  )
  assert.equal((await repos.repoCheckCollaborator('boss', 'shed', 'countess')).status, 204)
  const held = (await repos.repoGetRepoPermissions('boss', 'shed', 'countess')).data
  assert.deepEqual([held.permission, held.user?.login], ['read', 'countess'])
  const [only] = (await repos.repoListCollaborators('boss', 'shed')).data
  assert.equal(only?.login, 'countess')
  assert.equal((await repos.repoDeleteCollaborator('boss', 'shed', 'countess')).status, 204)
  assert.equal((await refusal(repos.repoCheckCollaborator('boss', 'shed', 'countess')))[0], 404)
  assert.equal((await repos.repoDelete('boss', 'shed')).status, 204)

  assert.equal((await admin.orgs.createOrgRepo('guild', { name: 'yard' })).status, 201)
  const masons = (await admin.orgs.orgListTeams('guild')).data.find(({ name }) => name === 'masons')?.id ?? 0
  assert.equal((await teams.orgAddTeamRepository(masons, 'guild', 'yard')).status, 204)
  assert.deepEqual(
    (await teams.orgListTeamRepos(masons)).data.map(({ full_name }) => full_name),
    ['guild/yard'],
  )
  assert.equal((await teams.orgListTeamRepo(masons, 'guild', 'yard')).data.name, 'yard')
  const named = (await repos.repoListTeams('guild', 'yard')).data.map(({ name }) => name)
  assert.deepEqual(named, ['masons', 'Owners'])
  assert.equal((await teams.orgRemoveTeamRepository(masons, 'guild', 'yard')).status, 204)
  assert.equal((await repos.repoAddTeam('guild', 'yard', 'masons')).status, 204)
  assert.equal((await repos.repoCheckTeam('guild', 'yard', 'masons')).data.id, masons)
  assert.equal((await repos.repoDeleteTeam('guild', 'yard', 'masons')).status, 204)
  assert.equal((await repos.repoDelete('guild', 'yard')).status, 204)
})

test('a client keeps secrets and variables of an organization', async () => {
  const { orgs } = await signIn('countess', 'secrets')
  assert.equal((await orgs.updateOrgSecret('guild', 'deploy', { data: 'first' })).status, 201)
  assert.equal((await orgs.updateOrgSecret('guild', 'DEPLOY', { data: 'second' })).status, 204)
  const [secret, ...others] = (await orgs.orgListActionsSecrets('guild')).data
  assert.deepEqual([secret?.name, others.length], ['DEPLOY', 0])
  assert.deepEqual(await refusal(orgs.updateOrgSecret('guild', 'CI', { data: 'x' })), [
    400,
    'invalid variable or secret name',
  ])
  assert.equal((await orgs.deleteOrgSecret('guild', 'deploy')).status, 204)
  assert.equal((await orgs.createOrgVariable('guild', 'level', { value: '1.10' })).status, 201)
  assert.equal((await refusal(orgs.createOrgVariable('guild', 'level', { value: 'x' })))[0], 409)
  assert.equal((await orgs.updateOrgVariable('guild', 'level', { value: '1.20' })).status, 204)
  assert.equal((await orgs.getOrgVariable('guild', 'level')).data.data, '1.20')
  const variables = (await orgs.getOrgVariablesList('guild')).data
  assert.deepEqual(
    variables.map(({ name }) => name),
    ['LEVEL'],
  )
  assert.equal((await orgs.deleteOrgVariable('guild', 'level')).status, 204)
})

test('a client learns which organizations block the deletion of a user, and deletes them first', async () => {
  const [status, message] = await refusal(admin.admin.adminDeleteUser('countess'))
  assert.equal(status, 422)
  assert.match(message ?? '', /guild/)
  const ada = await signIn('countess', 'deletion')
  assert.equal((await ada.orgs.orgDelete('guild')).status, 204)
  assert.equal((await admin.orgs.orgDelete('lodge')).status, 204)
  assert.equal((await refusal(admin.orgs.orgGet('guild')))[0], 404)
  assert.deepEqual((await admin.admin.adminGetAllOrgs()).data, [])
})

test('a client deletes a user, whose name is then free', async () => {
  assert.equal((await admin.admin.adminDeleteUser('countess', { purge: false })).status, 204)
  assert.equal((await refusal(admin.users.userGet('countess')))[0], 404)
  assert.equal((await refusal(admin.admin.adminDeleteUser('countess')))[0], 404)
  const left = (await admin.admin.adminSearchUsers()).data.map(({ login }) => login)
  assert.deepEqual(left, ['boss'])
  assert.equal((await refusal(admin.admin.adminDeleteUser('boss')))[0], 422)
})

test('a client lists, reads and deletes packages', async () => {
  const path = `${server.url}/api/packages/boss/generic/tool/1.0.0/tool.txt`
  const headers = { authorization: `token ${token}` }
  assert.equal((await fetch(path, { method: 'PUT', body: 'content', headers })).status, 201)
  const [listed] = (await admin.packages.listPackages('boss', { type: 'generic', q: 'TOO' })).data
  assert.deepEqual(
    [listed?.name, listed?.version, listed?.owner?.login, listed?.creator?.login],
    ['tool', '1.0.0', 'boss', 'boss'],
  )
  assert.equal((await admin.packages.getPackage('boss', 'generic', 'tool', '1.0.0')).data.id, listed?.id)
  const [file] = (await admin.packages.listPackageFiles('boss', 'generic', 'tool', '1.0.0')).data
  assert.deepEqual([file?.name, file?.Size, file?.sha256?.length], ['tool.txt', 7, 64])
  assert.equal((await admin.packages.deletePackage('boss', 'generic', 'tool', '1.0.0')).status, 204)
  assert.deepEqual((await admin.packages.listPackages('boss')).data, [])
  assert.equal((await fetch(path, { headers })).status, 404)
})
