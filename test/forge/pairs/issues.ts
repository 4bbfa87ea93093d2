import {
  bob,
  each,
  elsewhere,
  made,
  type Operation,
  ofOrganization,
  ofRepository,
  once,
} from './operation.ts'
import type { Scene } from './scene.ts'

/** Issues, what is said about them, and what they are sorted by. */

const repository = ofRepository('issues')
const organization = ofOrganization('issues')

const newIssue = repository('POST /issues', { as: bob, body: () => ({ title: 'It leaks' }) })
/** The issue that both operations of a pair are about. */
export const theIssue = made(newIssue, 'index')
const other = made({ ...newIssue }, 'other')
const newLabel = repository('POST /labels', { body: () => ({ name: 'bug', color: '#ee0701' }) })
const theLabel = made(newLabel)
const addLabels = repository('POST /issues/{index}/labels', {
  before: each(theIssue, theLabel),
  body: (_, { id }) => ({ labels: [id] }),
})
const newOrgLabel = organization('POST /labels', { body: () => ({ name: 'bug', color: '#ee0701' }) })
const newMilestone = repository('POST /milestones', { body: () => ({ title: 'v1' }) })
const newComment = repository('POST /issues/{index}/comments', {
  as: bob,
  before: theIssue,
  body: ({ eve: { name } }) => ({ body: `@${name} look` }),
})
const theComment = made(newComment)

/** Sends a file. */
export const file = {
  query: () => ({ name: 'notes.txt' }),
  headers: () => ({ 'content-type': 'text/plain' }),
  body: () => 'notes',
}
const newFile = repository('POST /issues/{index}/assets', { ...file, as: bob, before: theIssue })
const theFile = made(newFile, 'attachment_id')
const newCommentFile = repository('POST /issues/comments/{id}/assets', {
  ...file,
  as: bob,
  before: theComment,
})
const theCommentFile = made(newCommentFile, 'attachment_id')

const heart = () => ({ content: 'heart' })
const react = repository('POST /issues/{index}/reactions', { as: bob, before: theIssue, body: heart })
const reactToComment = repository('POST /issues/comments/{id}/reactions', {
  as: bob,
  before: theComment,
  body: heart,
})
const pin = repository('POST /issues/{index}/pin', { before: theIssue })
const lock = repository('PUT /issues/{index}/lock', { before: theIssue, body: () => ({}) })
const assignees = ({ bob: { name } }: Scene) => ({ assignees: [name] })
const assign = repository('POST /issues/{index}/assignees', { before: theIssue, body: assignees })
const related = ({ guild, repo }: Scene, { other }: Readonly<Record<string, string | number>>) => ({
  owner: guild,
  repo,
  index: other,
})
const both = each(other, theIssue)
const depend = repository('POST /issues/{index}/dependencies', { before: both, body: related })
const block = repository('POST /issues/{index}/blocks', { before: both, body: related })
const subscriber = ({ bob: { name } }: Scene) => ({ user: name })
const subscribe = repository('PUT /issues/{index}/subscriptions/{user}', {
  as: bob,
  params: subscriber,
  before: theIssue,
})

/** A thread of `bob` about the issue. */
const theThread = each(
  theIssue,
  once(async ({ pool, repoId, bob }) => {
    const [thread] = await pool<[{ id: number }]>`
      insert into forge.notification (account_id, repository_id, source, issue_id, updated_at)
      select ${bob.id}, ${repoId}, 'issue', id, '2026-01-31'
      from forge.issue
      where repository_id = ${repoId}
      limit 1
      returning id`
    return { id: thread.id }
  }),
)

export const issues: readonly Operation[] = [
  newIssue,
  repository('PATCH /issues/{index}', {
    as: bob,
    before: theIssue,
    body: () => ({ title: 'Mended', state: 'closed' }),
  }),
  repository('DELETE /issues/{index}', { before: theIssue }),
  repository('POST /issues/{index}/deadline', {
    before: theIssue,
    body: () => ({ due_date: '2030-01-01T00:00:00Z' }),
  }),
  pin,
  repository('PATCH /issues/{index}/pin/{position}', { before: made(pin), params: () => ({ position: 1 }) }),
  repository('DELETE /issues/{index}/pin', { before: made(pin) }),
  lock,
  repository('DELETE /issues/{index}/lock', { before: made(lock) }),
  assign,
  repository('DELETE /issues/{index}/assignees', { before: made(assign), body: assignees }),
  depend,
  // An issue that waits for another one cannot block it.
  repository('DELETE /issues/{index}/dependencies', {
    isExclusive: true,
    before: made(depend),
    body: related,
  }),
  block,
  repository('DELETE /issues/{index}/blocks', { before: made(block), body: related }),
  subscribe,
  repository('DELETE /issues/{index}/subscriptions/{user}', {
    as: bob,
    params: subscriber,
    before: made(subscribe),
  }),
  elsewhere('issues')('PATCH /api/v1/notifications/threads/{id}', { before: theThread }),
  elsewhere('issues')('PUT /api/v1/notifications', { before: theThread }),

  newComment,
  repository('PATCH /issues/comments/{id}', { as: bob, before: theComment, body: () => ({ body: 'Well' }) }),
  repository('DELETE /issues/comments/{id}', { as: bob, before: theComment }),
  repository('PATCH /issues/{index}/comments/{id}', {
    as: bob,
    before: theComment,
    body: () => ({ body: 'So' }),
  }),
  repository('DELETE /issues/{index}/comments/{id}', { as: bob, before: theComment }),
  react,
  repository('DELETE /issues/{index}/reactions', { as: bob, before: made(react), body: heart }),
  reactToComment,
  repository('DELETE /issues/comments/{id}/reactions', {
    as: bob,
    before: made(reactToComment),
    body: heart,
  }),
  newFile,
  repository('PATCH /issues/{index}/assets/{attachment_id}', {
    as: bob,
    before: theFile,
    body: () => ({ name: 'other.txt' }),
  }),
  repository('DELETE /issues/{index}/assets/{attachment_id}', { as: bob, before: theFile }),
  newCommentFile,
  repository('PATCH /issues/comments/{id}/assets/{attachment_id}', {
    as: bob,
    before: theCommentFile,
    body: () => ({ name: 'other.txt' }),
  }),
  repository('DELETE /issues/comments/{id}/assets/{attachment_id}', { as: bob, before: theCommentFile }),

  newLabel,
  repository('PATCH /labels/{id}', { before: theLabel, body: () => ({ name: 'defect' }) }),
  repository('DELETE /labels/{id}', { before: theLabel }),
  addLabels,
  repository('PUT /issues/{index}/labels', {
    before: each(theIssue, theLabel),
    body: (_, { id }) => ({ labels: [id] }),
  }),
  repository('DELETE /issues/{index}/labels', { before: made(addLabels, 'set') }),
  repository('DELETE /issues/{index}/labels/{id}', { before: made(addLabels, 'set') }),
  newOrgLabel,
  organization('PATCH /labels/{id}', { before: made(newOrgLabel), body: () => ({ name: 'defect' }) }),
  organization('DELETE /labels/{id}', { before: made(newOrgLabel) }),
  newMilestone,
  repository('PATCH /milestones/{id}', { before: made(newMilestone), body: () => ({ state: 'closed' }) }),
  repository('DELETE /milestones/{id}', { before: made(newMilestone) }),
]
