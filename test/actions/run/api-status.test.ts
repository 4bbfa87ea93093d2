import assert from 'node:assert/strict'
import { test } from 'node:test'
import { API_STATUSES, apiStatus, selectionOf } from '../../../src/actions/run/api-status.ts'
import { STATUSES } from '../../../src/actions/run/status.ts'

test('the API prints each status under its own name', () => {
  const words = STATUSES.map((status) => Object.values(apiStatus(status, false)).join(' '))
  assert.deepEqual(words, [
    'requested',
    'pending',
    'queued',
    'in_progress',
    'in_progress',
    'completed success',
    'completed failure',
    'completed cancelled',
    'completed skipped',
  ])
  assert.deepEqual(apiStatus('blocked', true), { status: 'waiting' })
  for (const status of STATUSES.filter((each) => each !== 'blocked'))
    assert.deepEqual(apiStatus(status, true), apiStatus(status, false))
})

/** What a word selects although it prints something else, as in Gitea. */
const alsoSelects = (word: string, status: string) =>
  status === 'requested'
    ? word === 'pending' || word === 'waiting'
    : status === 'blocked' && word === 'waiting'

test('a filter accepts every printed status and selects what prints it', () => {
  for (const word of [...API_STATUSES, 'success', 'failure', 'cancelled', 'skipped']) {
    const selection = selectionOf([word])
    assert.ok('statuses' in selection, word)
    for (const status of STATUSES)
      for (const awaited of [true, false]) {
        const prints = Object.values(apiStatus(status, awaited)).includes(word)
        const holds: boolean =
          selection.statuses.includes(status) &&
          (status !== 'blocked' || selection.awaited === undefined || selection.awaited === awaited)
        assert.equal(
          holds,
          prints || alsoSelects(word, status),
          `${word} and ${status}${awaited ? ' awaited' : ''}`,
        )
      }
  }
})

test('several statuses select the union, and names of other forges map to the nearest status', () => {
  const waits = { statuses: ['requested', 'blocked'], awaited: undefined }
  for (const words of [
    ['pending', 'waiting'],
    ['waiting', 'pending'],
    ['waiting'],
    ['pending', 'action_required'],
  ])
    assert.deepEqual(selectionOf(words), waits, `${words}`)
  assert.deepEqual(selectionOf(['pending']), { statuses: ['requested', 'blocked'], awaited: false })
  assert.deepEqual(selectionOf(['action_required']), { statuses: ['blocked'], awaited: true })
  assert.deepEqual(selectionOf(['neutral', 'timed_out', 'skipped']), {
    statuses: ['skipped', 'cancelled'],
    awaited: undefined,
  })
  assert.deepEqual(selectionOf(['queued', 'pending']), {
    statuses: ['queued', 'requested', 'blocked'],
    awaited: false,
  })
})

test('a filter reports the first unknown status, also an empty one', () => {
  for (const word of ['', 'Queued', 'running', 'blocked', 'unknown', 'toString', 'queued,failure'])
    assert.deepEqual(selectionOf(['queued', word]), { unknown: word })
})
