import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commentMessage, issueMessage } from '../../../../src/forge/webhooks/payload/issues.ts'
import {
  createMessage,
  deleteMessage,
  packageMessage,
  payloadText,
  pushMessage,
  repositoryMessage,
} from '../../../../src/forge/webhooks/payload/payload.ts'
import { ada, commit, engine, leak, remark, zeros } from './facts.ts'

const after = '1'.repeat(40)
const pushFacts = {
  ref: 'refs/heads/main',
  before: zeros,
  after,
  commits: [7, 6, 5, 4, 3, 2, 1].map((number) => commit(number)),
  total: 7,
  head: commit(7),
  first: false,
  root: 'https://forge.example/',
  repository: engine,
  sender: ada,
}
const packageFacts = {
  id: 3,
  name: 'wheel',
  version: '1.0.0',
  type: 'generic',
  html_url: 'https://forge.example/ada/-/packages/generic/wheel/1.0.0',
  owner: ada,
}

test('repository: organization is the owner, also if it is a person', () => {
  const { event, payload } = repositoryMessage('created', { repository: engine, owner: ada, sender: ada })
  assert.equal(event, 'repository')
  assert.deepEqual(Object.entries(payload), [
    ['action', 'created'],
    ['repository', engine],
    ['organization', ada],
    ['sender', ada],
  ])
})

test('create and delete: the short name of the ref, and what it is', () => {
  const made = createMessage({ ref: 'refs/tags/v1/2', sha: after, repository: engine, sender: ada })
  assert.deepEqual(Object.entries(made.payload), [
    ['sha', after],
    ['ref', 'v1/2'],
    ['ref_type', 'tag'],
    ['repository', engine],
    ['sender', ada],
  ])
  const gone = deleteMessage({ ref: 'refs/heads/feature/x', repository: engine, sender: ada })
  assert.deepEqual(Object.entries(gone.payload), [
    ['ref', 'feature/x'],
    ['ref_type', 'branch'],
    ['pusher_type', 'user'],
    ['repository', engine],
    ['sender', ada],
  ])
})

test('push: the five newest commits, all of them counted, keys in order', () => {
  const { payload } = pushMessage(pushFacts)
  assert.deepEqual(Object.entries(payload), [
    ['ref', 'refs/heads/main'],
    ['before', zeros],
    ['after', after],
    ['compare_url', `https://forge.example/ada/engine/compare/${zeros}...${after}`],
    ['commits', [7, 6, 5, 4, 3].map((number) => commit(number))],
    ['total_commits', 7],
    ['head_commit', commit(7)],
    ['repository', engine],
    ['pusher', ada],
    ['sender', ada],
  ])
})

test('push: the first push has no comparison; a deletion has no head', () => {
  const first = pushMessage({ ...pushFacts, first: true })
  assert.equal('compare_url' in first.payload && first.payload.compare_url, 'https://forge.example/')
  const deletion = pushMessage({ ...pushFacts, after: zeros, commits: [], total: 0, head: null })
  assert.match(
    payloadText('push', deletion.payload),
    /"commits": \[\],\n {2}"total_commits": 0,\n {2}"head_commit": null/,
  )
})

test('package: repository is null; organization is set only if the owner is one', () => {
  const personal = packageMessage('created', { package: packageFacts, organization: null, sender: ada })
  assert.deepEqual(Object.entries(personal.payload), [
    ['action', 'created'],
    ['repository', null],
    ['package', packageFacts],
    ['organization', null],
    ['sender', ada],
  ])
  const organization = { id: 2, name: 'makers' }
  const owned = packageMessage('deleted', { package: packageFacts, organization, sender: ada })
  assert.deepEqual('organization' in owned.payload && owned.payload.organization, organization)
})

test('texts are indented by two spaces, those of repository and wiki by one', () => {
  assert.equal(payloadText('push', { a: '<&>' }), '{\n  "a": "<&>"\n}')
  assert.equal(payloadText('repository', { a: 1 }), '{\n "a": 1\n}')
  assert.equal(payloadText('wiki', { a: 1 }), '{\n "a": 1\n}')
})

test('issues and comments: members in order, changes only of edits', () => {
  const about = { repository: engine, sender: ada }
  const changes = { title: { from: 'Old' } }
  const edited = issueMessage('edited', { issue: leak, changes, ...about })
  assert.deepEqual(Object.entries(edited.payload), [
    ['action', 'edited'],
    ['number', 3],
    ['changes', changes],
    ['issue', leak],
    ['repository', engine],
    ['sender', ada],
    ['commit_id', ''],
  ])
  const said = commentMessage('created', { issue: leak, comment: remark, ...about })
  assert.deepEqual(Object.entries(said.payload), [
    ['action', 'created'],
    ['issue', leak],
    ['comment', remark],
    ['repository', engine],
    ['sender', ada],
    ['is_pull', false],
  ])
  const events = [
    ['issues', issueMessage('closed', { issue: leak, ...about })],
    ['issues', edited],
    ['issue_assign', issueMessage('assigned', { issue: leak, ...about })],
    ['issue_label', issueMessage('label_cleared', { issue: leak, ...about })],
    ['issue_comment', said],
  ] as const
  for (const [event, message] of events) {
    assert.equal(message.event, event)
  }
})
