import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formName, propertyName } from '../../../src/forge/protocol/property-name.ts'

// As the members of the option types are declared by the original.
for (const [member, property] of [
  ['username', 'Username'],
  ['full_name', 'FullName'],
  ['must_change_password', 'MustChangePassword'],
  ['source_id', 'SourceID'],
  ['repo_admin_change_team_access', 'RepoAdminChangeTeamAccess'],
  ['badge_slugs', 'BadgeSlugs'],
  ['image_url', 'ImageURL'],
  ['url', 'URL'],
  ['key', 'Key'],
] as const) {
  test(`the member ${member} is the property ${property} and the form field ${member}`, () => {
    assert.equal(propertyName(member), property)
    assert.equal(formName(property), member)
  })
}

for (const [property, field] of [
  ['UserName', 'user_name'],
  ['NewName', 'new_name'],
  ['Created', 'created'],
  ['FilePath', 'file_path'],
  ['Text', 'text'],
  ['SHA1Sum', 'sha1_sum'],
] as const) {
  test(`the property ${property} is the form field ${field}`, () => {
    assert.equal(formName(property), field)
  })
}

test('capitalised members are their own property names', () => {
  assert.equal(propertyName('FilePath'), 'FilePath')
})
