import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  coarseName,
  eventNames,
  type HookEvent,
  isBranchFilter,
  listedEvents,
  normalizeEvents,
  passesBranchFilter,
  subscribedName,
} from '../../../../src/forge/webhooks/payload/events.ts'

const issues = ['issues', 'issue_assign', 'issue_label', 'issue_milestone', 'issue_comment']
const pulls = [
  ...['pull_request', 'pull_request_assign', 'pull_request_label', 'pull_request_milestone'],
  ...['pull_request_comment', 'pull_request_review', 'pull_request_review_request', 'pull_request_sync'],
]

const cases: readonly (readonly [sent: readonly string[] | undefined, stored: readonly string[]])[] = [
  [undefined, ['push']],
  [[], ['push']],
  [['issues'], issues],
  [['issues_only'], ['issues']],
  [['pull_request'], pulls],
  [['pull_request_only'], ['pull_request']],
  [
    ['issue_comment', 'pull_request_review'],
    ['issue_comment', 'pull_request_review'],
  ],
  [
    ['PUSH', 'Push', 'push', 'iSSues_ONLY'],
    ['push', 'issues'],
  ],
  [
    ['pull_request_review_approved', 'pull_request_review_rejected', 'pull_request_review_comment'],
    ['pull_request_review'],
  ],
]

for (const [sent, stored] of cases) {
  test(`events ${JSON.stringify(sent)} are stored as ${stored.length} names`, () => {
    const events = normalizeEvents(sent)
    assert.ok(events.ok)
    assert.deepEqual(new Set(events.value), new Set(stored))
    assert.equal(events.value.length, stored.length)
  })
}

test('a name of no event is none of the names that are stored', () => {
  for (const name of ['*', '', 'nonsense', 'constructor', '__proto__', 'toString', 'none'])
    assert.deepEqual(normalizeEvents(['push', name]), { ok: false, fault: name })
})

test('every name that stands for itself is stored as itself', () => {
  for (const name of eventNames) {
    if (name !== 'issues' && name !== 'pull_request')
      assert.deepEqual(normalizeEvents([name]), { ok: true, value: [name] })
  }
})

test('a reply lists every event of a hook for all events', () => {
  assert.deepEqual(listedEvents({ all_events: true, events: [] }), eventNames)
  assert.deepEqual(listedEvents({ all_events: false, events: ['create'] }), ['create'])
})

test('older receivers know coarse names', () => {
  const coarse: Readonly<Partial<Record<HookEvent, string>>> = {
    issue_assign: 'issues',
    issue_label: 'issues',
    issue_milestone: 'issues',
    pull_request_assign: 'pull_request',
    pull_request_label: 'pull_request',
    pull_request_milestone: 'pull_request',
    pull_request_sync: 'pull_request',
    pull_request_review_request: 'pull_request',
    pull_request_comment: 'issue_comment',
    pull_request_review_approved: 'pull_request_approved',
    pull_request_review_rejected: 'pull_request_rejected',
    pull_request_review_comment: 'pull_request_comment',
  }
  for (const name of eventNames) assert.equal(coarseName(name), coarse[name] ?? name, name)
  for (const review of ['approved', 'rejected', 'comment'] as const) {
    const event = `pull_request_review_${review}` as const
    assert.equal(coarseName(event), coarse[event])
    assert.equal(subscribedName(event), 'pull_request_review')
  }
})

test('a branch filter applies to create, delete and push, and matches the short or the full name of a branch', () => {
  for (const event of ['create', 'delete', 'push'] as const) {
    assert.equal(passesBranchFilter('{main,release/*}', event, 'refs/heads/release/1/2'), true)
    assert.equal(passesBranchFilter('{main,release/*}', event, 'refs/heads/dev'), false)
    assert.equal(passesBranchFilter('main', event, 'refs/tags/main'), false, 'a tag is held by its whole ref')
    assert.equal(passesBranchFilter('refs/tags/v*', event, 'refs/tags/v1.0'), true)
    for (const filter of ['refs/heads/main', 'refs/**', 'refs/heads/{a,m*}'])
      assert.equal(passesBranchFilter(filter, event, 'refs/heads/main'), true, filter)
    for (const filter of ['refs/heads/dev', 'refs/tags/*', 'heads/main', '/main'])
      assert.equal(passesBranchFilter(filter, event, 'refs/heads/main'), false, filter)
  }
  assert.equal(passesBranchFilter('main', 'repository', undefined), true)
  assert.equal(passesBranchFilter('main', 'status', 'refs/heads/dev'), true)
  for (const all of ['', '*', '**']) assert.equal(passesBranchFilter(all, 'push', 'refs/tags/x'), true)
})

test('a filter must be a glob; an invalid one accepts nothing', () => {
  assert.equal(isBranchFilter('{a,b}[c-d]?*'), true)
  assert.equal(isBranchFilter('{a'), false)
  assert.equal(passesBranchFilter('{a', 'push', 'refs/heads/{a'), false)
})
