import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aggregate, isFinal, STATUSES, type Status } from '../../../src/actions/run/status.ts'

const plain = { key: 'a', continue_on_error: false, fails_fast: false }
const of = (...statuses: Status[]) => aggregate(statuses.map((status) => ({ ...plain, status })))

test('the status of an attempt is the first of these that a job has', () => {
  assert.equal(of(), 'skipped')
  assert.equal(of('skipped', 'skipped'), 'skipped')
  assert.equal(of('success', 'skipped'), 'success')
  assert.equal(of('failure', 'success', 'cancelled'), 'cancelled')
  assert.equal(of('failure', 'success'), 'failure')
  assert.equal(of('failure', 'requested'), 'requested')
  assert.equal(of('requested', 'blocked'), 'blocked')
  assert.equal(of('blocked', 'queued'), 'queued')
  assert.equal(of('queued', 'in_progress'), 'in_progress')
  assert.equal(of('in_progress', 'cancelling'), 'cancelling')
})

test('a failure with continue-on-error counts as success', () => {
  const failed = { ...plain, status: 'failure', continue_on_error: true } as const
  assert.equal(aggregate([failed]), 'success')
  assert.equal(aggregate([failed, { ...plain, status: 'skipped' }]), 'success')
  assert.equal(aggregate([failed, { ...plain, status: 'failure' }]), 'failure')
})

test('a matrix that has failed is not cancelled because its other jobs were', () => {
  const leg = (status: Status, more = {}) => ({ ...plain, fails_fast: true, status, ...more })
  assert.equal(aggregate([leg('failure'), leg('cancelled')]), 'failure')
  assert.equal(aggregate([leg('failure'), leg('cancelling')]), 'cancelling')
  assert.equal(aggregate([leg('failure'), leg('cancelled', { key: 'b' })]), 'cancelled')
  assert.equal(aggregate([leg('failure', { continue_on_error: true }), leg('cancelled')]), 'cancelled')
  assert.equal(aggregate([leg('success'), leg('cancelled')]), 'cancelled')
})

test('an attempt ends when all of its jobs have ended', () => {
  for (const one of STATUSES) {
    for (const other of STATUSES) {
      assert.equal(isFinal(of(one, other)), isFinal(one) && isFinal(other), `${one} ${other}`)
    }
  }
})
