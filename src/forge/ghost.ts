import type { Account } from './account.ts'

/** Accounts that no row stands for: they are printed where whoever did something has no account (any more). */
const nobody: Account = {
  id: -1,
  kind: 'person',
  name: 'Ghost',
  full_name: '',
  email: '',
  location: '',
  website: '',
  description: '',
  language: '',
  visibility: 'public',
  hides_email: true,
  is_active: true,
  is_admin: false,
  is_restricted: false,
  prohibit_login: true,
  must_change_password: false,
  has_totp: false,
  source_id: 0,
  login_name: '',
  allow_git_hook: false,
  allow_import_local: false,
  allow_create_organization: false,
  max_repo_creation: 0,
  repo_admin_change_team_access: false,
  followers_count: 0,
  following_count: 0,
  starred_repos_count: 0,
  created_at: '1970-01-01T00:00:00.000Z',
  updated_at: '1970-01-01T00:00:00.000Z',
  last_login_at: null,
}

/** Somebody whose account was deleted. */
export const ghost: Account = nobody

/** Who does what Actions does by itself; the names of both are reserved (names.ts). */
export const actionsBot: Account = {
  ...nobody,
  id: -2,
  kind: 'bot',
  name: 'gitea-actions',
  full_name: 'Gitea Actions',
}
