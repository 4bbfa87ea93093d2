import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  grantedUnits,
  OWNER_RIGHTS,
  orderedUnits,
  type PermissionInput,
  type Rights,
  rightsAfter,
  UNITS,
} from '../../../src/forge/permissions/units.ts'

const nothing: Rights = { permission: 'none', units: {} }
const reader: Rights = { permission: 'read', units: { 'repo.code': 'read', 'repo.ext_wiki': 'read' } }

/** What a team has after a wish; the fault in its place. */
const after = (wish: PermissionInput, before: Rights = nothing) => {
  const rights = rightsAfter(before, wish)
  return rights.ok ? [rights.value.permission, rights.value.units] : rights.fault
}

test('a request without permissions leaves those of a team unchanged', () => {
  assert.deepEqual(after({}), ['none', {}])
  assert.deepEqual(after({ permission: '', units: [], units_map: {} }, reader), ['read', reader.units])
})

test('a team with admin has every unit; external trackers and wikis can only be read', () => {
  const rights = rightsAfter(nothing, { permission: 'admin', units: ['repo.code'] })
  assert.ok(rights.ok)
  assert.deepEqual(grantedUnits(rights.value.units), UNITS)
  assert.equal(rights.value.units['repo.code'], 'admin')
  assert.equal(rights.value.units['repo.ext_issues'], 'read')
  assert.equal(OWNER_RIGHTS.units['repo.wiki'], 'owner')
  assert.equal(OWNER_RIGHTS.units['repo.ext_wiki'], 'read')
})

test('a list of units gives all of them the permission of the team', () => {
  const units = ['repo.code', 'repo.ext_wiki']
  assert.deepEqual(after({ permission: 'write', units }), [
    'write',
    { 'repo.code': 'write', 'repo.ext_wiki': 'read' },
  ])
  assert.deepEqual(after({ units: ['repo.wiki'] }, reader), ['read', { 'repo.wiki': 'read' }])
  assert.deepEqual(after({ units }), ['none', { 'repo.code': 'none', 'repo.ext_wiki': 'none' }])
})

test('a map of units counts before a list, and its lowest permission is that of the team', () => {
  const units_map = {
    'repo.code': 'write',
    'repo.wiki': 'owner',
    'repo.pulls': 'none',
    'repo.ext_wiki': 'write',
  }
  assert.deepEqual(after({ permission: 'write', units: ['repo.issues'], units_map }), [
    'read',
    { 'repo.code': 'write', 'repo.wiki': 'admin', 'repo.pulls': 'none', 'repo.ext_wiki': 'read' },
  ])
  assert.deepEqual(after({ units_map: { 'repo.code': 'none' } }), ['none', { 'repo.code': 'none' }])
})

test('a new permission alone applies to all units that the team had', () => {
  assert.deepEqual(after({ permission: 'write' }, reader), [
    'write',
    { 'repo.code': 'write', 'repo.ext_wiki': 'read' },
  ])
  const administering = rightsAfter(reader, { permission: 'admin' })
  assert.ok(administering.ok)
  const lowered = rightsAfter(administering.value, { permission: 'read' })
  assert.ok(lowered.ok)
  assert.deepEqual(new Set(Object.values(lowered.value.units)), new Set(['read']))
})

test('unknown units and permissions are refused, also where they would not count', () => {
  for (const wish of [
    { units_map: { 'repo.code': 'all' } },
    { units_map: { 'repo.nothing': 'read' } },
    { units_map: { toString: 'read' } },
    { permission: 'admin', units_map: { __proto__x: 'read' } },
  ]) {
    assert.equal(after(wish), '[UnitsMap]: In', JSON.stringify(wish))
  }
  assert.equal(after({ units: ['repo.code', 'code'] }), '[Units]: In')
})

test('units are listed in one order, without those that are not granted', () => {
  const units = { 'repo.wiki': 'read', 'repo.code': 'none', 'repo.actions': 'write' } as const
  assert.deepEqual(grantedUnits(units), ['repo.actions', 'repo.wiki'])
  assert.deepEqual(Object.keys(orderedUnits(units)), ['repo.actions', 'repo.code', 'repo.wiki'])
})
