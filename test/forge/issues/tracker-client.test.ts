import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { giteaApi } from 'gitea-js'
import { newToken } from '../../../src/forge/auth/token.ts'
import { serveHome } from '../../support/binary.ts'
import { basic } from '../../support/forge/make.ts'
import { until } from '../../support/wait.ts'

/** The way of a mention: a published Gitea client against the built file; the tests run in order. */

const token = newToken()
const { serving: server } = await serveHome({ ADMIN_USERNAME: 'boss', ADMIN_TOKEN: token })
const admin = giteaApi(server.url, { token })

async function newcomer(username: string): Promise<{ token: string; client: ReturnType<typeof giteaApi> }> {
  const password = 'correct horse battery'
  const email = `${username}@example.com`
  await admin.admin.adminCreateUser({ username, email, password, must_change_password: false })
  const headers = basic(username, password)
  const made = await giteaApi(server.url).users.userCreateToken(
    username,
    { name: 'all', scopes: ['all'] },
    { headers },
  )
  const own = made.data.sha1 ?? ''
  return { token: own, client: giteaApi(server.url, { token: own }) }
}

const ada = await newcomer('ada')
const bob = await newcomer('bob')

/** What `fetch` does not show: the body of a 205. */
async function reset(method: string, path: string): Promise<[status: number | undefined, body: unknown]> {
  const headers = { authorization: `token ${bob.token}` }
  const sent = request(`${server.url}/api/v1${path}`, { method, headers, agent: false }).end()
  const [reply] = (await once(sent, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of reply) chunks.push(chunk)
  return [reply.statusCode, JSON.parse(Buffer.concat(chunks).toString())]
}

test('a client opens an issue, labels it, and comments with a mention', async () => {
  const { repos } = ada.client
  assert.equal((await ada.client.user.createCurrentUserRepo({ name: 'engine' })).status, 201)
  // The members that `tea repos create` and `tea issues` read to print what they have created.
  assert.deepEqual((await repos.repoListTopics('ada', 'engine')).data.topics, [])
  const label = (await repos.issueCreateLabel('ada', 'engine', { name: 'bug', color: '#ee0701' })).data
  const wish = { title: 'It leaks', body: 'Everywhere', labels: [label.id ?? 0] }
  const issue = (await repos.issueCreateIssue('ada', 'engine', wish)).data
  assert.deepEqual([issue.number, issue.state, issue.labels?.[0]?.name], [1, 'open', 'bug'])
  assert.deepEqual((await repos.issueGetIssueReactions('ada', 'engine', 1)).data, [])
  const comment = await repos.issueCreateComment('ada', 'engine', 1, { body: 'Can you look, @bob?' })
  assert.equal(comment.status, 201)
  assert.equal((await repos.issueGetComments('ada', 'engine', 1)).data[0]?.body, 'Can you look, @bob?')
  assert.equal((await repos.issueListIssues('ada', 'engine', { state: 'open' })).data.length, 1)
})

test('the mention ends as an unread thread that a client reads, pins and clears', async () => {
  const { notifications } = bob.client
  const counted = await until('the mention has arrived', async () => {
    const { data } = await notifications.notifyNewAvailable()
    return data.new === 1 && data
  })
  assert.deepEqual(counted, { new: 1 })
  const [thread] = (await notifications.notifyGetList()).data
  const { subject, repository, unread, id = 0 } = thread ?? {}
  assert.deepEqual([subject?.title, subject?.type, unread], ['It leaks', 'Issue', true])
  assert.equal(repository?.full_name, 'ada/engine')
  assert.match(subject?.latest_comment_url ?? '', /\/issues\/comments\/\d+$/)
  assert.equal((await notifications.notifyGetThread(String(id))).data.id, id)

  const format = { format: 'text' } as const
  const pinned = await notifications.notifyReadThread(String(id), { 'to-status': 'pinned' }, format)
  assert.equal(pinned.status, 205)
  assert.deepEqual((await notifications.notifyNewAvailable()).data, { new: 0 })
  assert.equal((await notifications.notifyGetList()).data[0]?.pinned, true)

  const cleared = await notifications.notifyReadList({ 'status-types': ['pinned'] }, format)
  assert.equal(cleared.status, 205)
  assert.deepEqual((await notifications.notifyGetList()).data, [])
  assert.equal((await notifications.notifyGetList({ all: true })).data[0]?.unread, false)
  assert.equal((await bob.client.repos.notifyGetRepoList('ada', 'engine', { all: true })).data.length, 1)
})

test('the body of a 205 arrives where a client can read one', async () => {
  const [status, threads] = await reset('PUT', '/notifications?all=true&to-status=unread')
  assert.equal(status, 205)
  assert.ok(Array.isArray(threads))
  assert.equal(threads[0].unread, true)
  const [one, thread] = await reset('PATCH', `/notifications/threads/${threads[0].id}`)
  assert.equal(one, 205)
  assert.equal((thread as { unread: boolean }).unread, false)
})

test('a client watches, closes, and hands a repository on', async () => {
  const { repos } = bob.client
  assert.equal((await repos.userCurrentPutSubscription('ada', 'engine')).data.subscribed, true)
  const closed = await ada.client.repos.issueEditIssue('ada', 'engine', 1, { state: 'closed' })
  assert.equal(closed.data.state, 'closed')
  await until('the closing has arrived', async () => {
    return (await bob.client.notifications.notifyNewAvailable()).data.new === 1
  })
  const offered = await ada.client.repos.repoTransfer('ada', 'engine', { new_owner: 'bob' })
  assert.equal(offered.status, 201)
  await until('the offer has arrived', async () => {
    const filter = { 'subject-type': ['repository' as const] }
    return (await bob.client.notifications.notifyGetList(filter)).data.length === 1
  })
  const taken = await repos.acceptRepoTransfer('ada', 'engine')
  assert.deepEqual([taken.status, taken.data.full_name], [202, 'bob/engine'])
  assert.equal((await repos.issueListIssues('bob', 'engine', { state: 'all' })).data.length, 1)
})
