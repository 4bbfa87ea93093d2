import type { FieldDescription } from '../operations/described.ts'

/** What an organization says about itself. */
export const organizationFields: readonly FieldDescription[] = [
  { name: 'full_name', label: 'Full name', isOptional: true },
  { name: 'description', label: 'Description', isOptional: true },
  { name: 'website', label: 'Website', kind: 'url', isOptional: true },
  { name: 'location', label: 'Place', isOptional: true },
  { name: 'email', label: 'Contact', isOptional: true },
  {
    name: 'visibility',
    label: 'Who sees it',
    options: { public: 'Everybody', limited: 'Everybody who is signed in', private: 'Its members' },
  },
  {
    name: 'repo_admin_change_team_access',
    label: 'Administrators of a repository give it to teams',
    kind: 'tick',
  },
]

/** The form of a new one. */
export const newOrganizationFields: readonly FieldDescription[] = [
  {
    name: 'username',
    label: 'Name',
    hint: 'In addresses: letters and digits, with single - _ . between them',
  },
  ...organizationFields,
]
